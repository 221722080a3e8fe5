package analytics

import "time"

// interval is the time between two flushes. A flush of an empty queue counts too, but needs no timer: a timer runs only
// while messages wait.
type interval struct {
	every     time.Duration
	lastFlush time.Time
	cancel    func()
	// timer numbers the timers: one that is cancelled may already have begun to call.
	timer int
}

func (i *interval) isRunning() bool { return i.cancel != nil }

// start starts a timer, because a message waits. The timer calls flush with its number.
func (i *interval) start(c clock, flush func(timer int)) {
	elapsed := max(0, c.Now().Sub(i.lastFlush))
	i.timer++
	timer := i.timer
	i.cancel = c.AfterFunc(i.every-elapsed%i.every, func() { flush(timer) })
}

// restart counts from now, because a flush begins.
func (i *interval) restart(now time.Time) {
	i.stop()
	i.lastFlush = now
}

func (i *interval) stop() {
	if i.cancel == nil {
		return
	}
	i.cancel()
	i.cancel = nil
	i.timer++
}
