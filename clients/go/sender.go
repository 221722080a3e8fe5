package analytics

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// sender sends the queue, one batch at a time, in the order of the calls.
//
// It is idle until flush starts its goroutine, which takes a batch, tries it, pauses and retries until the outcome is
// final. The goroutine continues while a flush requires it or a batch is full, and then exits. stop ends it from any
// state; the batch in flight then has no outcome.
type sender struct {
	settings
	clock  clock
	report *reporter
	random func() float64
	ctx    context.Context
	cancel context.CancelFunc

	mu    sync.Mutex
	queue queue
	// flushEnd: messages with a lower number are sent even if they do not fill a batch.
	flushEnd  uint64
	isSending bool
	isClosed  bool
	isStopped bool
	interval  interval
	stats     Stats
	// dropped counts the calls dropped since the queue was last less than half full.
	dropped int
	flushes map[*flush]struct{}
	// changed is closed and replaced when a batch has its outcome, and when the client is closed or stopped.
	changed chan struct{}
}

func newSender(s settings, c *Client, report *reporter) *sender {
	ctx, cancel := context.WithCancel(context.Background())
	return &sender{
		settings: s,
		clock:    c.clock,
		report:   report,
		random:   c.random,
		ctx:      ctx,
		cancel:   cancel,
		queue:    queue{bounds: s.bounds},
		interval: interval{every: s.flushAfter, lastFlush: c.clock.Now()},
		flushes:  map[*flush]struct{}{},
		changed:  make(chan struct{}),
	}
}

// add queues a call, or returns ErrClosed or ErrQueueFull.
func (s *sender) add(call encoded) error {
	waiting, err := s.push(call)
	if err == nil {
		s.report.debugf("queued %s %s %d bytes, %d waiting", call.kind, call.messageID, len(call.json), waiting)
	}
	return err
}

func (s *sender) push(call encoded) (waiting int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isClosed {
		return 0, ErrClosed
	}
	if !s.queue.hasRoomFor(call.json) {
		s.flush("full queue")
		return 0, ErrQueueFull
	}
	s.queue.push(call.json)
	s.stats.Queued++
	waiting = s.queue.waiting()
	if s.queue.hasFullBatch() && !s.isSending {
		s.flush("size")
	}
	s.armInterval()
	return waiting, nil
}

// drop counts a call dropped because the queue is full, and reports the first of a burst.
func (s *sender) drop() {
	s.mu.Lock()
	s.stats.Dropped++
	s.dropped++
	isFirst := s.dropped == 1
	s.mu.Unlock()
	if isFirst {
		s.report.failure(ErrQueueFull)
	}
}

// flush sends full batches and, unless the cause is size, all waiting messages. The caller holds the lock.
func (s *sender) flush(cause string) {
	s.interval.restart(s.clock.Now())
	if s.queue.waiting() == 0 {
		return
	}
	if cause != "size" {
		s.flushEnd = s.queue.tail()
	}
	if s.isSending || s.isStopped {
		return
	}
	s.isSending = true
	go s.send(cause, s.queue.waiting())
}

// armInterval starts the timer of the interval if it is not running. The caller holds the lock.
func (s *sender) armInterval() {
	if s.interval.isRunning() {
		return
	}
	s.interval.start(s.clock, func(timer int) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.interval.timer == timer {
			s.flush("interval")
		}
	})
}

// send is the goroutine of the sender.
func (s *sender) send(cause string, waiting int) {
	s.report.debugf("flush by %s: %d waiting", cause, waiting)
	for {
		b, isMore := s.next()
		if !isMore {
			return
		}
		s.settle(outcomeOf(b, s.deliver(b)))
	}
}

// next takes a batch, or returns false and marks the sender as idle.
func (s *sender) next() (batch, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	isWanted := s.queue.waiting() > 0 && (s.queue.head < s.flushEnd || s.queue.hasFullBatch())
	if s.isStopped || !isWanted {
		s.isSending = false
		return batch{}, false
	}
	return s.queue.take(), true
}

// deliver returns the last response, or returns early when stopped.
func (s *sender) deliver(b batch) response {
	for retry := 1; ; retry++ {
		received := s.try(b)
		wait, again := afterTry(received, retry, s.maxRetries, s.random(), s.clock.Now())
		if !again || s.ctx.Err() != nil {
			return received
		}
		s.report.debugf("retry %d of %d in %d ms", retry, s.maxRetries, wait.Milliseconds())
		s.sleep(wait)
	}
}

func (s *sender) try(b batch) response {
	ctx, cancel := context.WithCancelCause(s.ctx)
	defer cancel(nil)
	defer s.clock.AfterFunc(s.timeout, func() { cancel(fmt.Errorf("no response within %v", s.timeout)) })()
	started := s.clock.Now()
	received := s.post(ctx, bodyOf(b.messages, started))
	if received.status == 0 {
		s.report.debugf("no response to a batch of %d: %v", len(b.messages), received.err)
	} else {
		elapsed := s.clock.Now().Sub(started).Milliseconds()
		s.report.debugf("response %d %s to a batch of %d in %d ms", received.status, received.code, len(b.messages), elapsed)
	}
	return received
}

// sleep returns after d, or immediately when stopped.
func (s *sender) sleep(d time.Duration) {
	over := make(chan struct{})
	defer s.clock.AfterFunc(d, func() { close(over) })()
	select {
	case <-over:
	case <-s.ctx.Done():
	}
}

// settle reports the outcome of the batch in flight, and removes the batch. Flushes that wait for it return afterwards, so
// that every failure has been reported.
func (s *sender) settle(o outcome) {
	if s.ctx.Err() != nil {
		return
	}
	for _, failure := range o.errors() {
		s.report.failure(failure)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delivered := o.delivered(s.queue.head)
	s.stats.Delivered += delivered
	s.stats.Failed += len(o.batch.messages) - delivered
	s.queue.settle()
	for each := range s.flushes {
		each.delivered += o.delivered(each.end)
	}
	if s.queue.isHalfEmpty() {
		s.dropped = 0
	}
	s.broadcast()
}

// broadcast wakes all waiters to check the queue again. The caller holds the lock.
func (s *sender) broadcast() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// stop sends nothing more. The caller holds the lock.
func (s *sender) stop() {
	s.isStopped = true
	s.interval.stop()
	s.cancel()
	s.broadcast()
}
