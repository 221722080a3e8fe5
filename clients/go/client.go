package analytics

import (
	"context"
	"fmt"
	"log"
	"math/rand"
	"net/http"
	"sync"
	"time"
)

// Endpoint is the default base URL of the service.
const Endpoint = "http://localhost:4800"

// closeTimeout is the timeout of Close.
const closeTimeout = 30 * time.Second

// Client queues calls and sends them in batches. Create it with New, and set its fields before the first call, which
// reads them; later changes have no effect. All methods are safe for concurrent use.
type Client struct {
	// Endpoint is the base URL of the service; the client appends /v1/batch. Default: http://localhost:4800.
	Endpoint string
	// Size is the number of calls that starts a flush, and the maximum per batch: 1 to 2500. 1 disables batching. Default: 20.
	Size int
	// FlushAt is an alias of Size, and takes precedence if set.
	FlushAt int
	// Interval is the time between flushes. Default: 5 seconds.
	Interval time.Duration
	// FlushAfter is an alias of Interval, and takes precedence if set.
	FlushAfter time.Duration
	// Logger receives the debug log and, unless OnError is set, the failures. Its writer must not make calls. Default: standard
	// error.
	Logger *log.Logger
	// Verbose enables the debug log, like the environment variable DEBUG=analytics. It never shows the content of calls.
	Verbose bool
	// Client sends the requests. Redirects are not followed.
	Client http.Client

	// OnError receives the failures that no method returns, *DeliveryError and *RejectedError, and also ErrQueueFull, once
	// for each burst. It may be called concurrently. It must not call Flush or Close, which wait for it.
	OnError func(error)
	// MaxQueueMessages is the maximum number of calls in the queue, including calls in flight. Default: 100,000.
	MaxQueueMessages int
	// MaxQueueBytes is the maximum size of the queue, in bytes of JSON. Default: 64 MiB (67,108,864).
	MaxQueueBytes int
	// MaxBatchBytes is the maximum size of a request, in bytes before compression. Default: 500 KiB (512,000).
	MaxBatchBytes int
	// MaxMessageBytes is the maximum size of a call, in bytes of JSON. Default: 32 KiB (32,768).
	MaxMessageBytes int
	// MaxRetries is the number of retries before a batch fails. Default: 10.
	MaxRetries int
	// Timeout is the timeout of one request. Default: 10 seconds.
	Timeout time.Duration
	// NoGzip disables the compression of requests over 1 KiB.
	NoGzip bool
	// Disabled validates calls without sending them.
	Disabled bool

	key    string
	clock  clock
	random func() float64

	start    sync.Once
	sender   *sender
	startErr error

	closing  sync.Once
	closed   chan struct{}
	closeErr error
}

// Stats counts the calls so far. Queued is the sum of Delivered, Failed and Pending.
type Stats struct {
	// Queued counts calls that returned no error; 0 if the client is disabled.
	Queued    int
	Delivered int
	// Failed calls were rejected by the service, or not delivered after the last retry.
	Failed int
	// Pending calls are in the queue or in flight.
	Pending int
	// Dropped counts calls that returned ErrQueueFull.
	Dropped int
}

// New returns a client for the source with this write key.
func New(key string) *Client {
	return &Client{
		Endpoint:         Endpoint,
		Size:             defaultSize,
		Interval:         defaultInterval,
		Logger:           newLogger(),
		MaxQueueMessages: 100_000,
		MaxQueueBytes:    64 << 20,
		MaxBatchBytes:    512_000,
		MaxMessageBytes:  32_768,
		MaxRetries:       10,
		Timeout:          10 * time.Second,
		key:              key,
		clock:            systemClock{},
		random:           rand.Float64,
		closed:           make(chan struct{}),
	}
}

// Identify queues a call that sets traits of a user.
func (c *Client) Identify(msg *Identify) error { return c.enqueue(msg) }

// Track queues a call that records an action by a user.
func (c *Client) Track(msg *Track) error { return c.enqueue(msg) }

// Page queues a call that records a page view.
func (c *Client) Page(msg *Page) error { return c.enqueue(msg) }

// Screen queues a call that records a screen view.
func (c *Client) Screen(msg *Screen) error { return c.enqueue(msg) }

// Group queues a call that adds a user to a group.
func (c *Client) Group(msg *Group) error { return c.enqueue(msg) }

// Alias queues a call that declares that two ids are the same user.
func (c *Client) Alias(msg *Alias) error { return c.enqueue(msg) }

// Enqueue queues a call of any type. If the queue is full, it waits for room until ctx is done, and then returns an error
// that wraps ErrQueueFull and the cause of ctx.
func (c *Client) Enqueue(ctx context.Context, call Call) error {
	s, message, err := c.prepare(call)
	if err != nil || s.disabled {
		return err
	}
	if err = s.addWhenRoom(ctx, message); err == ErrQueueFull {
		s.drop()
		return fmt.Errorf("%w: %w", err, context.Cause(ctx))
	}
	return err
}

func (c *Client) enqueue(call Call) error {
	s, message, err := c.prepare(call)
	if err != nil || s.disabled {
		return err
	}
	if err = s.add(message); err == ErrQueueFull {
		s.drop()
	}
	return err
}

// Flush sends the queue. It returns when every earlier call, in flight or not, has been delivered or has failed. If ctx
// is done first, it returns context.Cause(ctx). If calls remain because the client was closed, it returns ErrClosed.
func (c *Client) Flush(ctx context.Context) (FlushResult, error) {
	s, err := c.started()
	if err != nil {
		return FlushResult{}, err
	}
	result := s.wait(ctx, "Flush")
	if result.Pending == 0 {
		return result, nil
	}
	if err = context.Cause(ctx); err == nil {
		err = ErrClosed
	}
	return result, err
}

// Close refuses further calls, and sends the queue for at most 30 seconds. It returns an *UndeliveredError if calls
// remain, which are then no longer sent. A second Close returns the result of the first one.
func (c *Client) Close() error {
	if _, err := c.started(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	defer c.clock.AfterFunc(closeTimeout, func() { cancel(context.DeadlineExceeded) })()
	return c.CloseContext(ctx)
}

// CloseContext is like Close, but sends the queue until ctx is done. A second call returns when the first one does, or
// when its own ctx is done.
func (c *Client) CloseContext(ctx context.Context) error {
	s, err := c.started()
	if err != nil {
		return err
	}
	isFirst := false
	c.closing.Do(func() { isFirst = true })
	if isFirst {
		c.closeErr = s.close(ctx)
		close(c.closed)
		return c.closeErr
	}
	select {
	case <-c.closed:
		return c.closeErr
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Stats returns the number of calls so far, by state.
func (c *Client) Stats() Stats {
	s, err := c.started()
	if err != nil {
		return Stats{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	stats := s.stats
	stats.Pending = s.queue.pending()
	return stats
}

// started reads the fields of the client on the first call.
func (c *Client) started() (*sender, error) {
	c.start.Do(func() {
		settings, err := c.settings()
		if err != nil {
			c.startErr = err
			return
		}
		c.sender = newSender(settings, c, newReporter(c))
	})
	return c.sender, c.startErr
}

// prepare validates and encodes a call without changing it.
func (c *Client) prepare(call Call) (*sender, encoded, error) {
	s, err := c.started()
	if err != nil {
		return nil, encoded{}, err
	}
	f, isCall := fieldsOf(call)
	if !isCall {
		return nil, encoded{}, &ValidationError{Code: "not_an_object", Detail: "The call is nil."}
	}
	if err = validate(f); err != nil {
		return nil, encoded{}, err
	}
	message := f.message
	if message.MessageId == "" {
		if message.MessageId, err = newMessageID(); err != nil {
			return nil, encoded{}, err
		}
	}
	if message.Timestamp == "" {
		message.Timestamp = timestampOf(s.clock.Now())
	}
	encoded, err := encode(call, message, f.context, s.maxMessageBytes)
	return s, encoded, err
}
