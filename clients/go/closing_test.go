package analytics

import (
	"bytes"
	"context"
	"errors"
	"log"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestCloseMayBeCalledTwiceAndRefusesFurtherCalls(t *testing.T) {
	e := open(t, statuses(200))
	e.track(t, 0, 25)
	var both sync.WaitGroup
	for range [2]int{} {
		both.Add(1)
		go func() {
			defer both.Done()
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		}()
	}
	both.Wait()
	if err := e.Close(); err != nil || !reflect.DeepEqual(e.events(), names(25)) {
		t.Errorf("%v, arrived: %v", err, e.events())
	}
	call := &Track{UserId: "u1", Event: "E"}
	if err := e.Track(call); err != ErrClosed {
		t.Error(err)
	}
	if err := e.Enqueue(context.Background(), call); err != ErrClosed {
		t.Error(err)
	}
	if result, err := e.Flush(context.Background()); err != nil || result != (FlushResult{}) {
		t.Errorf("%+v %v", result, err)
	}
}

func TestCloseAsTheFirstCallReturnsImmediately(t *testing.T) {
	e := open(t, statuses(200))
	if err := e.Close(); err != nil || len(e.requests) > 0 {
		t.Error(err, e.requests)
	}
}

func TestCloseReturnsTheNumberOfRemainingCallsAfter30Seconds(t *testing.T) {
	e := open(t, func(_ http.ResponseWriter, r *http.Request, _ int) { <-r.Context().Done() })
	e.Size, e.Timeout = 5, time.Hour
	e.track(t, 0, 12)
	go func() {
		e.waitForRequests(1)
		e.clock.pass(closeTimeout)
	}()
	err := e.Close()
	var left *UndeliveredError
	if !errors.As(err, &left) || left.Messages != 12 || !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	if e.Close() != err || e.Stats() != (Stats{Queued: 12, Pending: 12}) || len(e.errors()) > 0 {
		t.Errorf("%+v, errors %v", e.Stats(), e.errors())
	}
	if result, err := e.Flush(context.Background()); err != ErrClosed || result.Pending != 12 {
		t.Errorf("%+v %v", result, err)
	}
}

func TestCloseContextEndsAPendingRetry(t *testing.T) {
	e := open(t, statuses(503))
	e.track(t, 0, 3)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- e.CloseContext(ctx) }()
	e.waitForRequests(1)
	other, cancelOther := context.WithCancel(context.Background())
	cancelOther()
	if err := e.CloseContext(other); err != context.Canceled {
		t.Error("a second close with another context:", err)
	}
	cancel()
	var left *UndeliveredError
	if err := <-ended; !errors.As(err, &left) || left.Messages != 3 {
		t.Error(err)
	}
}

func TestAFullQueueRefusesCallsAndReportsEachBurstOnce(t *testing.T) {
	release := make(chan struct{})
	e := open(t, func(http.ResponseWriter, *http.Request, int) { <-release })
	e.MaxQueueMessages = 10
	e.track(t, 0, 10)
	for i := 0; i < 5; i++ {
		if err := e.Track(&Track{UserId: "u1", Event: "lost"}); err != ErrQueueFull {
			t.Fatal(err)
		}
	}
	if got := e.Stats(); got != (Stats{Queued: 10, Pending: 10, Dropped: 5}) || len(e.errors()) != 1 || !errors.Is(e.errors()[0], ErrQueueFull) {
		t.Errorf("%+v, errors %v", got, e.errors())
	}
	release <- struct{}{}
	_, _ = e.Flush(context.Background())
	e.track(t, 10, 10)
	if err := e.Track(&Track{UserId: "u1", Event: "lost"}); err != ErrQueueFull || len(e.errors()) != 2 {
		t.Errorf("%v: another burst, errors %v", err, e.errors())
	}
	close(release)
	_ = e.Close()
	if !reflect.DeepEqual(e.events(), names(20)) {
		t.Errorf("arrived: %v", e.events())
	}
}

func TestTheQueueIsBoundedInBytes(t *testing.T) {
	release := make(chan struct{})
	e := open(t, func(http.ResponseWriter, *http.Request, int) { <-release })
	e.MaxQueueBytes = 40_000
	call := &Track{UserId: "u1", Event: "E", Properties: m{"text": strings.Repeat("x", 15_000)}}
	for i, want := range []error{nil, nil, ErrQueueFull} {
		if err := e.Track(call); err != want {
			t.Errorf("call %d: %v", i, err)
		}
	}
	// The queue is full, but does not fill a batch.
	e.waitForRequests(1)
	close(release)
	_ = e.Close()
}

func TestEnqueueWaitsForRoomUntilItsContextEnds(t *testing.T) {
	release := make(chan struct{})
	e := open(t, func(http.ResponseWriter, *http.Request, int) { <-release })
	e.MaxQueueMessages = 5
	e.track(t, 0, 5)
	call := &Track{UserId: "u1", Event: "5"}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := e.Enqueue(ctx, call); !errors.Is(err, ErrQueueFull) || !errors.Is(err, context.Canceled) || e.Stats().Dropped != 1 {
		t.Errorf("%v %+v", err, e.Stats())
	}
	done := make(chan error)
	go func() { done <- e.Enqueue(context.Background(), call) }()
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := e.Close(); err != nil || !reflect.DeepEqual(e.events(), names(6)) {
		t.Errorf("%v, arrived: %v", err, e.events())
	}
}

func TestEnqueueThatWaitsForRoomEndsWhenTheClientIsClosed(t *testing.T) {
	release := make(chan struct{})
	e := open(t, func(http.ResponseWriter, *http.Request, int) { <-release })
	e.MaxQueueMessages = 1
	e.track(t, 0, 1)
	enqueued, closed := make(chan error), make(chan error)
	go func() { enqueued <- e.Enqueue(context.Background(), &Track{UserId: "u1", Event: "E"}) }()
	// The first check of the full queue sends it.
	e.waitForRequests(1)
	go func() { closed <- e.Close() }()
	if err := <-enqueued; err != ErrClosed {
		t.Error(err)
	}
	close(release)
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

func TestConcurrentCalls(t *testing.T) {
	e := open(t, statuses(200))
	var all sync.WaitGroup
	for g := 0; g < 20; g++ {
		all.Add(1)
		go func(g int) {
			defer all.Done()
			for i := 0; i < 100; i++ {
				if err := e.Track(&Track{UserId: strconv.Itoa(g), Event: strconv.Itoa(i)}); err != nil {
					t.Error(err)
				}
			}
			_, _ = e.Flush(context.Background())
			_ = e.Stats()
		}(g)
	}
	all.Wait()
	if err := e.Close(); err != nil || e.Stats() != (Stats{Queued: 2000, Delivered: 2000}) {
		t.Errorf("%v %+v", err, e.Stats())
	}
	next := map[string]int{}
	for _, request := range e.requests {
		for _, message := range request.Batch {
			if message.Event != strconv.Itoa(next[message.UserId]) {
				t.Fatalf("goroutine %s: call %s before call %d", message.UserId, message.Event, next[message.UserId])
			}
			next[message.UserId]++
		}
	}
}

func TestMethodsReturnAnErrorForAnInvalidField(t *testing.T) {
	for name, change := range map[string]func(*Client){
		"key":              func(c *Client) { c.key = "" },
		"key ":             func(c *Client) { c.key = "wk a" },
		"Endpoint":         func(c *Client) { c.Endpoint = "localhost:4800" },
		"Endpoint  ":       func(c *Client) { c.Endpoint = "http://user:secret@localhost" },
		"Endpoint   ":      func(c *Client) { c.Endpoint = "http://secret host" },
		"MaxMessageBytes":  func(c *Client) { c.MaxMessageBytes = 0 },
		"MaxBatchBytes":    func(c *Client) { c.MaxBatchBytes = 32_768 },
		"MaxQueueMessages": func(c *Client) { c.MaxQueueMessages = 0 },
		"MaxQueueBytes":    func(c *Client) { c.MaxQueueBytes = 1 },
		"MaxRetries":       func(c *Client) { c.MaxRetries = -1 },
		"Timeout":          func(c *Client) { c.Timeout = 0 },
	} {
		t.Run(name, func(t *testing.T) {
			e := open(t, statuses(200))
			change(e.Client)
			_, flushErr := e.Flush(context.Background())
			for _, err := range []error{
				e.Track(&Track{UserId: "u1", Event: "E"}), e.Enqueue(context.Background(), &Identify{}), flushErr, e.Close(),
				e.CloseContext(context.Background()),
			} {
				var configError *ConfigError
				if !errors.As(err, &configError) || configError.Field != strings.TrimSpace(name) || strings.Contains(err.Error(), "secret") {
					t.Error(err)
				}
			}
			if e.Stats() != (Stats{}) {
				t.Error(e.Stats())
			}
		})
	}
	if err := (&Client{}).Close(); err == nil {
		t.Error("no error without a write key")
	}
}

func TestADisabledClientValidatesCallsAndSendsNothing(t *testing.T) {
	e := open(t, statuses(200))
	e.Disabled = true
	if err := e.Track(&Track{UserId: "u1"}); err == nil {
		t.Error("no error")
	}
	e.track(t, 0, 25)
	if err := e.Close(); err != nil || len(e.requests) > 0 || e.Stats() != (Stats{}) {
		t.Error(err, e.Stats())
	}
}

func TestTheDebugLogShowsActionsButNoContent(t *testing.T) {
	for name, turnOn := range map[string]func(*testing.T, *Client){
		"Verbose": func(_ *testing.T, c *Client) { c.Verbose = true },
		"DEBUG":   func(t *testing.T, _ *Client) { t.Setenv("DEBUG", "http,analytics") },
	} {
		t.Run(name, func(t *testing.T) {
			e := open(t, statuses(503, 200))
			var output bytes.Buffer
			e.Logger = log.New(&output, "", 0)
			turnOn(t, e.Client)
			go e.clock.pass(100 * time.Millisecond)
			_ = e.Track(&Track{UserId: "secret user", Event: "secret event", Message: Message{MessageId: "m1"}})
			_ = e.Close()
			for _, line := range []string{
				"queued track m1 ", "flush by Close: 1 waiting", "response 503", "retry 1 of 10 in 100 ms", "response 200",
			} {
				if !strings.Contains(output.String(), line) {
					t.Errorf("no %q in:\n%s", line, &output)
				}
			}
			if strings.Contains(output.String(), "secret") || strings.Contains(output.String(), "wk_test") {
				t.Error(&output)
			}
		})
	}
}

func TestDebugMayBeAListAndExcludeTheClient(t *testing.T) {
	for list, want := range map[string]bool{
		"analytics": true, "*": true, "http analytics": true, "": false, "analytic": false, "*,-analytics": false,
	} {
		if enablesDebug(list) != want {
			t.Errorf("%q: %v", list, !want)
		}
	}
}

func TestWithoutOnErrorFailuresGoToTheLogger(t *testing.T) {
	e := open(t, statuses(400))
	var output bytes.Buffer
	e.OnError, e.Logger = nil, log.New(&output, "", 0)
	e.track(t, 0, 3)
	flushed(t, e, FlushResult{Failed: 3})
	if got := output.String(); got != "analytics: 3 calls failed: 400\n" {
		t.Error(got)
	}
}

func TestAPanicInOnErrorIsLoggedAndDoesNotStopTheClient(t *testing.T) {
	e := open(t, statuses(400, 200))
	var output bytes.Buffer
	e.Logger = log.New(&output, "", 0)
	e.OnError = func(error) { panic("a bug in the program") }
	e.track(t, 0, 3)
	flushed(t, e, FlushResult{Failed: 3})
	e.track(t, 3, 3)
	flushed(t, e, FlushResult{Delivered: 3})
	if got := output.String(); got != "OnError panicked: a bug in the program\n" {
		t.Error(got)
	}
}

func TestOnErrorMayMakeCalls(t *testing.T) {
	e := open(t, statuses(400, 200))
	e.OnError = func(error) { e.track(t, 9, 1) }
	e.track(t, 0, 1)
	flushed(t, e, FlushResult{Failed: 1})
	if err := e.Close(); err != nil || !reflect.DeepEqual(e.events(), []string{"0", "9"}) {
		t.Errorf("%v, arrived: %v", err, e.events())
	}
}
