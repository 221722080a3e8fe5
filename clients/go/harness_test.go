package analytics

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// respond writes the response to a request; index counts the requests from 0. If it writes nothing, the
// calls are accepted.
type respond func(w http.ResponseWriter, r *http.Request, index int)

// statuses responds with these statuses; the last one repeats.
func statuses(codes ...int) respond {
	return func(w http.ResponseWriter, _ *http.Request, index int) {
		if code := codes[min(index, len(codes)-1)]; code != http.StatusOK {
			w.WriteHeader(code)
		}
	}
}

// answered records whether a handler has responded.
type answered struct {
	http.ResponseWriter
	isDone bool
}

func (a *answered) WriteHeader(status int) {
	a.isDone = true
	a.ResponseWriter.WriteHeader(status)
}

func (a *answered) Write(text []byte) (int, error) {
	a.isDone = true
	return a.ResponseWriter.Write(text)
}

func (a *answered) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	a.isDone = true
	return a.ResponseWriter.(http.Hijacker).Hijack()
}

type arrived struct {
	Type, MessageId, Timestamp, Event         string
	UserId, AnonymousId                       string
	GroupId, PreviousId, Name, Category       string
	Properties, Traits, Context, Integrations map[string]interface{}
}

type arrivedRequest struct {
	header http.Header
	path   string
	size   int
	Batch  []arrived
	SentAt string
}

// exchange is a client and the server that it sends to.
type exchange struct {
	*Client
	clock *manualClock

	mu       sync.Mutex
	requests []arrivedRequest
	failures []error
	// changed is signalled for each request and each failure.
	changed *sync.Cond
}

func open(t testing.TB, answer respond) *exchange {
	t.Helper()
	e := &exchange{Client: New("wk_test"), clock: newManualClock()}
	e.changed = sync.NewCond(&e.mu)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		request := read(t, r)
		e.mu.Lock()
		e.requests = append(e.requests, request)
		index := len(e.requests) - 1
		e.changed.Broadcast()
		e.mu.Unlock()
		a := &answered{ResponseWriter: w}
		if answer(a, r, index); !a.isDone {
			_, _ = io.WriteString(w, `{"success":true}`)
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	e.Client.Endpoint = server.URL
	e.Client.Client.Transport = transport
	e.Client.clock = e.clock
	e.Client.random = func() float64 { return 1 }
	e.Client.OnError = func(err error) {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.failures = append(e.failures, err)
		e.changed.Broadcast()
	}
	return e
}

func read(t testing.TB, r *http.Request) arrivedRequest {
	request := arrivedRequest{header: r.Header, path: r.URL.Path}
	var body io.Reader = r.Body
	if r.Header.Get("Content-Encoding") == "gzip" {
		reader, err := gzip.NewReader(r.Body)
		if err != nil {
			t.Error(err)
		}
		body = reader
	}
	text, err := io.ReadAll(body)
	if err != nil {
		t.Error(err)
	}
	request.size = len(text)
	if err := json.Unmarshal(text, &request); err != nil {
		t.Errorf("the body is not JSON: %v", err)
	}
	return request
}

// waitFor returns when the condition holds. It is checked after each request and each failure.
func (e *exchange) waitFor(condition func() bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for !condition() {
		e.changed.Wait()
	}
}

func (e *exchange) waitForRequests(count int) {
	e.waitFor(func() bool { return len(e.requests) >= count })
}

// events returns the events in the order of arrival.
func (e *exchange) events() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	events := []string{}
	for _, request := range e.requests {
		for _, message := range request.Batch {
			events = append(events, message.Event)
		}
	}
	return events
}

func (e *exchange) sizes() []int {
	e.mu.Lock()
	defer e.mu.Unlock()
	sizes := []int{}
	for _, request := range e.requests {
		sizes = append(sizes, len(request.Batch))
	}
	return sizes
}

func (e *exchange) errors() []error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]error{}, e.failures...)
}

// manualClock stands still until a test advances it.
type manualClock struct {
	mu      sync.Mutex
	now     time.Time
	timers  map[*manualTimer]struct{}
	changed *sync.Cond
}

type manualTimer struct {
	due  time.Time
	task func()
}

func newManualClock() *manualClock {
	c := &manualClock{now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC), timers: map[*manualTimer]struct{}{}}
	c.changed = sync.NewCond(&c.mu)
	return c
}

func (c *manualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *manualClock) AfterFunc(d time.Duration, task func()) func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	timer := &manualTimer{due: c.now.Add(d), task: task}
	c.timers[timer] = struct{}{}
	c.changed.Broadcast()
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.timers, timer)
	}
}

// advance lets time pass: timers that are due then fire.
func (c *manualClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	for timer := range c.timers {
		if !timer.due.After(c.now) {
			delete(c.timers, timer)
			go timer.task()
		}
	}
}

// pass waits until the client waits for exactly d, and then advances the clock by d.
func (c *manualClock) pass(d time.Duration) {
	c.mu.Lock()
	for !c.has(d) {
		c.changed.Wait()
	}
	c.mu.Unlock()
	c.advance(d)
}

func (c *manualClock) has(d time.Duration) bool {
	for timer := range c.timers {
		if timer.due.Sub(c.now) == d {
			return true
		}
	}
	return false
}
