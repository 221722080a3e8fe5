package analytics

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// sender has the queue, and sends it: one batch after the other, in the order of the calls.
//
// It is idle until wake. Its goroutine takes a batch, tries it, pauses and tries it again until its outcome is final. It
// goes on with the next batch while a flush asks for it or a batch is full; then the goroutine ends. stop ends it for
// good; the batch in flight then has no outcome.
type sender struct {
	settings
	clock  clock
	report *reporter
	random func() float64
	ctx    context.Context
	cancel context.CancelFunc

	mu    sync.Mutex
	queue queue
	// flushEnd: messages with a lower number are sent even where they do not fill a batch.
	flushEnd  uint64
	isSending bool
	isClosed  bool
	isStopped bool
	interval  interval
	stats     Stats
	// dropped is how many calls the queue had no room for since it was last less than half full.
	dropped int
	flushes map[*flush]struct{}
	// changed is closed, and replaced, when a batch has its outcome, and when the client is closed or stopped.
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

// drop counts a call for which there was no room, and reports the first one of a burst.
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

// flush sends full batches, and what else waits unless the cause is size. The caller holds the lock.
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

// armInterval starts the timer of the interval, unless it runs. The caller holds the lock.
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

// next takes a batch, or ends the sending.
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
		s.pause(wait)
	}
}

func (s *sender) try(b batch) response {
	ctx, cancel := context.WithCancelCause(s.ctx)
	defer cancel(nil)
	defer s.clock.AfterFunc(s.timeout, func() { cancel(fmt.Errorf("no response within %v", s.timeout)) })()
	started := s.clock.Now()
	received := s.post(ctx, bodyOf(b.messages, started))
	if received.status == 0 {
		s.report.debugf("no response to %d: %v", len(b.messages), received.err)
	} else {
		elapsed := s.clock.Now().Sub(started).Milliseconds()
		s.report.debugf("response %d %s to %d in %d ms", received.status, received.code, len(b.messages), elapsed)
	}
	return received
}

// pause returns after d, or at once when stopped.
func (s *sender) pause(d time.Duration) {
	over := make(chan struct{})
	defer s.clock.AfterFunc(d, func() { close(over) })()
	select {
	case <-over:
	case <-s.ctx.Done():
	}
}

// settle reports the outcome of the batch in flight, and removes the batch. A flush that waits for it returns after that:
// it then knows of every failure.
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

// broadcast lets everything that waits for the queue look again. The caller holds the lock.
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
