package analytics

import "time"

// interval is the time between two flushes. It also elapses while the queue is empty, but the timer runs only while messages
// are waiting.
type interval struct {
	every     time.Duration
	lastFlush time.Time
	cancel    func()
	// timer is the number of the current timer. The callback of a cancelled timer may already be running, and finds a
	// different number.
	timer int
}

func (i *interval) isRunning() bool { return i.cancel != nil }

// start starts a timer, because a message is waiting. The timer calls flush with its number.
func (i *interval) start(c clock, flush func(timer int)) {
	elapsed := max(0, c.Now().Sub(i.lastFlush))
	i.timer++
	timer := i.timer
	i.cancel = c.AfterFunc(i.every-elapsed%i.every, func() { flush(timer) })
}

// restart restarts the interval at the beginning of a flush.
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
