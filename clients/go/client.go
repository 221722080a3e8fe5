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

// closeTimeout is how long Close waits. CloseContext waits as long as its context permits.
const closeTimeout = 30 * time.Second

// Client queues calls and sends them in batches. Make it with New, and set its fields before the first call: the client
// reads them then, once. All methods may be called by many goroutines at a time.
type Client struct {
	// Endpoint is the base URL of the service; the client appends /v1/batch. Default: http://localhost:4800.
	Endpoint string
	// Size is how many queued calls start a flush, and the most calls of a batch: 1 to 2500. 1 sends each call. Default: 20.
	Size int
	// FlushAt is another name of Size, and counts if it is set.
	FlushAt int
	// Interval is the time from one flush to the next. Default: 5 seconds.
	Interval time.Duration
	// FlushAfter is another name of Interval, and counts if it is set.
	FlushAfter time.Duration
	// Logger gets the failures, unless OnError is set, and the debug log. Its writer must not make calls. Default: to
	// standard error.
	Logger *log.Logger
	// Verbose writes the debug log, as DEBUG=analytics in the environment does. It never shows what a call contains.
	Verbose bool
	// Client sends the requests. Redirects are not followed.
	Client http.Client

	// OnError receives every failure that no method returns: *DeliveryError, *RejectedError, and ErrQueueFull once for each
	// burst. Several goroutines may call it at a time. It must not call Flush or Close, which wait for it.
	OnError func(error)
	// MaxQueueMessages is the most calls that the queue takes, those in flight included. Default: 100,000.
	MaxQueueMessages int
	// MaxQueueBytes is the most that the queue takes, in bytes of JSON. Default: 64 MB (67,108,864).
	MaxQueueBytes int
	// MaxBatchBytes is the largest request, in bytes before compression. Default: 500 KB (512,000).
	MaxBatchBytes int
	// MaxMessageBytes is the largest call, in bytes of its JSON. Default: 32 KB (32,768).
	MaxMessageBytes int
	// MaxRetries is how often a batch is sent again before it fails. Default: 10.
	MaxRetries int
	// Timeout is the time limit of one request. Default: 10 seconds.
	Timeout time.Duration
	// NoGzip sends requests over 1 KiB uncompressed, too.
	NoGzip bool
	// Disabled validates calls, and sends nothing.
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
	// Queued counts the calls that returned no error.
	Queued    int
	Delivered int
	// Failed calls were refused by the service, or not delivered after the last retry.
	Failed int
	// Pending calls are in the queue or in flight.
	Pending int
	// Dropped counts the calls that returned ErrQueueFull.
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

// Identify queues a call that ties a user to traits.
func (c *Client) Identify(msg *Identify) error { return c.enqueue(msg) }

// Track queues a call that records what a user did.
func (c *Client) Track(msg *Track) error { return c.enqueue(msg) }

// Page queues a call that records the view of a page.
func (c *Client) Page(msg *Page) error { return c.enqueue(msg) }

// Screen queues a call that records the view of a screen.
func (c *Client) Screen(msg *Screen) error { return c.enqueue(msg) }

// Group queues a call that puts a user into a group.
func (c *Client) Group(msg *Group) error { return c.enqueue(msg) }

// Alias queues a call that declares that two ids are the same user.
func (c *Client) Alias(msg *Alias) error { return c.enqueue(msg) }

// Enqueue queues a call of any type. If the queue is full, it waits for room until ctx ends; the other methods return
// ErrQueueFull at once.
func (c *Client) Enqueue(ctx context.Context, call Call) error {
	s, message, err := c.prepare(call)
	if err != nil || s.disabled {
		return err
	}
	if err = s.waitForRoom(ctx, message); err == ErrQueueFull {
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

// Flush sends the queue. It returns when every call made before, in flight or not, is delivered or has failed. If ctx ends
// before, it returns the cause of that.
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

// Close refuses further calls, and sends the queue for at most 30 seconds. It returns an *UndeliveredError if calls are
// left; these are not sent any more. A second Close returns the result of the first one.
func (c *Client) Close() error {
	if _, err := c.started(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	defer c.clock.AfterFunc(closeTimeout, func() { cancel(context.DeadlineExceeded) })()
	return c.CloseContext(ctx)
}

// CloseContext is Close that sends the queue until ctx ends. A second one returns when the first one does, or when its
// own ctx ends.
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

// Stats returns the calls so far, by their state.
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

// started reads the fields of the client, when it is called for the first time.
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

// prepare checks and encodes a call. It does not change the call.
func (c *Client) prepare(call Call) (*sender, encoded, error) {
	s, err := c.started()
	if err != nil {
		return nil, encoded{}, err
	}
	f, isCall := fieldsOf(call)
	if !isCall {
		return nil, encoded{}, &ValidationError{Code: "not_an_object", Detail: "the call is nil"}
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
