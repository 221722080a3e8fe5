package analytics

import "context"

// FlushResult counts the calls that were pending when the flush began.
type FlushResult struct {
	Delivered int
	// Failed calls were rejected by the service, or not delivered after the last retry. OnError gets the reasons.
	Failed int
	// Pending is 0, unless the context was done or the client was closed.
	Pending int
}

// flush is a flush that has not returned yet.
type flush struct {
	// end is the number of the first message that it does not wait for.
	end       uint64
	delivered int
}

// wait returns when every message now in the queue has been delivered or has failed, when ctx is done, or when the sender stops.
func (s *sender) wait(ctx context.Context, cause string) FlushResult {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flush(cause)
	total := s.queue.pending()
	f := &flush{end: s.queue.tail()}
	s.flushes[f] = struct{}{}
	defer delete(s.flushes, f)
	for s.queue.pendingBefore(f.end) > 0 && !s.isStopped && ctx.Err() == nil {
		s.waitForChange(ctx)
	}
	pending := s.queue.pendingBefore(f.end)
	return FlushResult{Delivered: f.delivered, Failed: total - f.delivered - pending, Pending: pending}
}

// waitForChange returns after the next change, or when ctx is done. The caller holds the lock, which is released while it waits.
func (s *sender) waitForChange(ctx context.Context) {
	changed := s.changed
	s.mu.Unlock()
	defer s.mu.Lock()
	select {
	case <-changed:
	case <-ctx.Done():
	}
}

// addWhenRoom queues the call once there is room. It returns ErrQueueFull if ctx is done first.
func (s *sender) addWhenRoom(ctx context.Context, call encoded) error {
	for {
		// Read before checking the queue, so that no later change is missed.
		s.mu.Lock()
		changed := s.changed
		s.mu.Unlock()
		if err := s.add(call); err != ErrQueueFull {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ErrQueueFull
		}
	}
}

// close refuses further calls, and sends the queue until ctx is done.
func (s *sender) close(ctx context.Context) error {
	s.mu.Lock()
	s.isClosed = true
	s.broadcast()
	s.mu.Unlock()
	pending := s.wait(ctx, "Close").Pending
	s.mu.Lock()
	s.stop()
	s.mu.Unlock()
	if pending > 0 {
		return &UndeliveredError{Messages: pending, Err: context.Cause(ctx)}
	}
	return nil
}
