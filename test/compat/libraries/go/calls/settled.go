package calls

import (
	"sync/atomic"
	"time"
)

// Settled counts the calls that a library has reported to its callbacks.
type Settled struct {
	enqueued, reported atomic.Int64
}

// Enqueued counts a call that the library has accepted.
func (s *Settled) Enqueued(err error) error {
	if err == nil {
		s.enqueued.Add(1)
	}
	return err
}

// Success counts a call that the library has sent.
func (s *Settled) Success() { s.reported.Add(1) }

// Failure reports the error for a call, and counts it.
func (s *Settled) Failure(err error) {
	Report(err.Error())
	s.reported.Add(1)
}

// Wait returns when the library has reported each call, or after SettledWithin: Close would drop calls that wait for a retry.
func (s *Settled) Wait() {
	for end := time.Now().Add(SettledWithin); s.reported.Load() < s.enqueued.Load() && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
	}
}
