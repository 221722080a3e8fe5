package analytics

import "time"

// clock is the client's only source of time, replaceable in tests.
type clock interface {
	Now() time.Time
	// AfterFunc calls task once, in its own goroutine, after d. The returned function cancels it.
	AfterFunc(d time.Duration, task func()) (cancel func())
}

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) AfterFunc(d time.Duration, task func()) func() {
	timer := time.AfterFunc(d, task)
	return func() { timer.Stop() }
}
