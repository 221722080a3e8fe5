package analytics

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
)

// track makes calls with consecutive numbers as events, starting with first.
func (e *exchange) track(t *testing.T, first, count int) {
	t.Helper()
	for i := first; i < first+count; i++ {
		if err := e.Track(&Track{UserId: "u1", Event: strconv.Itoa(i)}); err != nil {
			t.Fatal(err)
		}
	}
}

func names(count int) []string {
	names := make([]string, count)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	return names
}

func flushed(t *testing.T, e *exchange, want FlushResult) {
	t.Helper()
	got, err := e.Flush(context.Background())
	if err != nil || got != want {
		t.Errorf("flush: %+v %v, want %+v", got, err, want)
	}
}

func TestSendsInOrderInBatchesOfTheConfiguredSize(t *testing.T) {
	for name, change := range map[string]func(*Client){
		"Size":                   func(c *Client) { c.Size = 5 },
		"FlushAt":                func(c *Client) { c.FlushAt = 5 },
		"FlushAt with Size":      func(c *Client) { c.Size, c.FlushAt = 250, 5 },
		"a queue of 5 messages":  func(c *Client) { c.MaxQueueMessages = 5 },
		"MaxBatchBytes":          func(c *Client) { c.MaxMessageBytes = 300; c.MaxBatchBytes = 1200 },
		"the default, 20":        func(*Client) {},
		"0, which is not set":    func(c *Client) { c.Size = 0 },
		"3,000, which is 2,500":  func(c *Client) { c.Size = 3000 },
		"1, which sends each":    func(c *Client) { c.Size = 1 },
		"compression turned off": func(c *Client) { c.NoGzip = true },
	} {
		t.Run(name, func(t *testing.T) {
			e := open(t, statuses(200))
			change(e.Client)
			for i := 0; i < 20; i++ {
				err := e.Enqueue(context.Background(), &Track{UserId: "u1", Event: strconv.Itoa(i)})
				if err != nil {
					t.Fatal(err)
				}
			}
			if err := e.Close(); err != nil || !reflect.DeepEqual(e.events(), names(20)) {
				t.Errorf("%v, arrived: %v", err, e.events())
			}
			for i, request := range e.requests {
				isSmall := request.size <= e.Client.MaxBatchBytes && len(request.Batch) <= e.Client.flushAt()
				isCompressed := request.header.Get("Content-Encoding") == "gzip"
				if !isSmall || isCompressed != (request.size > compressedFromBytes && !e.Client.NoGzip) {
					t.Errorf("request %d: %d messages, %d bytes, compressed: %v", i, len(request.Batch), request.size, isCompressed)
				}
			}
		})
	}
}

func TestAFullBatchIsSentWithoutAFlushAndTheRestWaits(t *testing.T) {
	e := open(t, statuses(200))
	e.track(t, 0, 25)
	e.waitForRequests(1)
	if err := e.Close(); err != nil || !reflect.DeepEqual(e.sizes(), []int{20, 5}) {
		t.Errorf("%v, batches of %v", err, e.sizes())
	}
}

func TestTheIntervalCountsFromTheLastFlushEvenIfCallsKeepComing(t *testing.T) {
	e := open(t, statuses(200))
	e.FlushAfter = 3 * time.Second
	e.track(t, 0, 1)
	for i := 1; i < 3; i++ {
		e.clock.advance(time.Second)
		e.track(t, i, 1)
	}
	e.clock.pass(time.Second)
	e.waitForRequests(1)
	_, _ = e.Flush(context.Background())
	e.clock.advance(4 * time.Second)
	e.track(t, 3, 1)
	// Four of six seconds since the last flush have passed.
	e.clock.pass(2 * time.Second)
	e.waitForRequests(2)
	if got := e.events(); !reflect.DeepEqual(got, names(4)) {
		t.Errorf("arrived: %v", got)
	}
}

func TestATimerThatFiresWhileAFlushBeginsFlushesNothing(t *testing.T) {
	e := open(t, statuses(200))
	e.track(t, 0, 1)
	var late []func()
	for timer := range e.clock.timers {
		late = append(late, timer.task)
	}
	flushed(t, e, FlushResult{Delivered: 1})
	e.track(t, 1, 1)
	for _, fire := range late {
		fire()
	}
	e.sender.mu.Lock()
	defer e.sender.mu.Unlock()
	if len(late) != 1 || e.sender.isSending || !e.sender.interval.isRunning() {
		t.Errorf("%d timers, sending: %v", len(late), e.sender.isSending)
	}
}

func TestABatchHasAtMostAsManyCallsAsTheServiceAccepts(t *testing.T) {
	for _, each := range []struct{ size, flushAt, want int }{
		{20, 0, 20}, {0, 0, 20}, {-1, -1, 20}, {250, 0, 250}, {250, 7, 7}, {2500, 0, 2500}, {2501, 0, 2500}, {20, 3000, 2500},
	} {
		if got := (&Client{Size: each.size, FlushAt: each.flushAt}).flushAt(); got != each.want {
			t.Errorf("Size %d, FlushAt %d: %d, want %d", each.size, each.flushAt, got, each.want)
		}
	}
}

func TestABatchIsSentAgainWithTheSameMessageIds(t *testing.T) {
	hijack := func(write string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			connection, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_, _ = connection.Write([]byte(write))
				_ = connection.Close()
			}
		}
	}
	status := func(code int) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) { w.WriteHeader(code) }
	}
	for name, misbehave := range map[string]func(http.ResponseWriter){
		"408": status(408), "425": status(425), "429": status(429), "500": status(500), "503": status(503),
		"a closed connection": hijack(""),
		"something else":      hijack("220 mail.example.com ESMTP\r\n"),
		"half of a body":      hijack("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"),
		"an endless body": func(w http.ResponseWriter) {
			for chunk := make([]byte, 1<<16); ; {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := open(t, func(w http.ResponseWriter, _ *http.Request, index int) {
				if index < 2 {
					misbehave(w)
				}
			})
			e.track(t, 0, 3)
			go e.clock.pass(100 * time.Millisecond)
			go e.clock.pass(200 * time.Millisecond)
			flushed(t, e, FlushResult{Delivered: 3})
			if got := e.sizes(); !reflect.DeepEqual(got, []int{3, 3, 3}) || len(e.errors()) > 0 {
				t.Errorf("batches of %v, errors %v", got, e.errors())
			}
			if !reflect.DeepEqual(e.requests[0].Batch, e.requests[2].Batch) {
				t.Errorf("%v, then %v", e.requests[0].Batch, e.requests[2].Batch)
			}
		})
	}
}

func TestARequestWithoutAResponseEndsAfterTimeout(t *testing.T) {
	e := open(t, func(_ http.ResponseWriter, r *http.Request, index int) {
		if index == 0 {
			<-r.Context().Done()
		}
	})
	e.track(t, 0, 3)
	go func() {
		e.waitForRequests(1)
		e.clock.pass(10 * time.Second)
		e.clock.pass(100 * time.Millisecond)
	}()
	flushed(t, e, FlushResult{Delivered: 3})
}

func TestWaitsForTheTimeInRetryAfter(t *testing.T) {
	e := open(t, func(w http.ResponseWriter, _ *http.Request, index int) {
		if index == 0 {
			w.Header().Set("Retry-After", "70")
			w.WriteHeader(429)
		}
	})
	e.track(t, 0, 3)
	go e.clock.pass(70 * time.Second)
	flushed(t, e, FlushResult{Delivered: 3})
}

// headSignal receives a value for each response head that has arrived.
type headSignal struct {
	http.RoundTripper
	arrived chan struct{}
}

func (h headSignal) RoundTrip(r *http.Request) (*http.Response, error) {
	received, err := h.RoundTripper.RoundTrip(r)
	h.arrived <- struct{}{}
	return received, err
}

func TestAnErrorStatusIsSufficientIfTheBodyCannotBeRead(t *testing.T) {
	for name, body := range map[string]string{"breaks off": "hello", "is not gzip": "not gzip, ", "hangs": "hello"} {
		for status, want := range map[int]FlushResult{429: {Delivered: 3}, 401: {Failed: 3}} {
			t.Run(fmt.Sprint(name, " ", status), func(t *testing.T) {
				e := open(t, func(w http.ResponseWriter, r *http.Request, index int) {
					if index > 0 {
						return
					}
					w.Header().Set("Retry-After", "70")
					w.Header().Set("Content-Length", "10")
					if name == "is not gzip" {
						w.Header().Set("Content-Encoding", "gzip")
					}
					w.WriteHeader(status)
					fmt.Fprint(w, body)
					if name == "hangs" {
						w.(*answered).ResponseWriter.(http.Flusher).Flush()
						<-r.Context().Done()
					}
				})
				head := headSignal{e.Client.Client.Transport, make(chan struct{}, 2)}
				e.Client.Client.Transport = head
				e.track(t, 0, 3)
				go func(name string, status int) {
					if <-head.arrived; name == "hangs" {
						e.clock.pass(10 * time.Second)
					}
					if status == 429 {
						e.clock.pass(70 * time.Second)
					}
				}(name, status)
				flushed(t, e, want)
			})
		}
	}
}

func TestAnyOtherErrorStatusIsFinalAndReported(t *testing.T) {
	for _, status := range []int{400, 401, 403, 404, 413, 301, 307} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			e := open(t, func(w http.ResponseWriter, _ *http.Request, index int) {
				if index == 0 {
					w.Header().Set("Location", "/elsewhere")
					w.WriteHeader(status)
					fmt.Fprint(w, `{"success":false,"code":"a_code"}`)
				}
			})
			e.Size = 5
			e.track(t, 0, 10)
			result, err := e.Flush(context.Background())
			if err != nil || result.Pending != 0 || !reflect.DeepEqual(e.events(), names(10)) {
				t.Errorf("%+v %v, arrived: %v", result, err, e.events())
			}
			want := Stats{Queued: 10, Delivered: 5, Failed: 5}
			var failure *DeliveryError
			failures := e.errors()
			if len(failures) != 1 || !errors.As(failures[0], &failure) || e.Stats() != want {
				t.Fatalf("errors %v, %+v", failures, e.Stats())
			}
			if *failure != (DeliveryError{Messages: 5, Status: status, Code: "a_code"}) || !strings.Contains(failure.Error(), "5 calls failed: "+strconv.Itoa(status)) {
				t.Errorf("%+v", failure)
			}
		})
	}
}

func TestABatchFailsAfterTheLastRetryAndTheNextOneIsSent(t *testing.T) {
	e := open(t, statuses(503, 503, 503, 200))
	e.Size, e.MaxRetries = 5, 2
	e.track(t, 0, 10)
	go e.clock.pass(100 * time.Millisecond)
	go e.clock.pass(200 * time.Millisecond)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if got := e.Stats(); got != (Stats{Queued: 10, Delivered: 5, Failed: 5}) || len(e.errors()) != 1 {
		t.Errorf("%+v, errors %v", got, e.errors())
	}
}

func TestEachCallThatTheServiceRejectsInA200IsReported(t *testing.T) {
	e := open(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		fmt.Fprint(w, `{"success":true,"rejected":[{"index":1,"messageId":"m1","code":"c","message":"why"},{"index":3,"messageId":null},{"index":3},{"index":5},{"index":-1},7]}`)
	})
	e.track(t, 0, 5)
	flushed(t, e, FlushResult{Delivered: 3, Failed: 2})
	want := []error{&RejectedError{MessageId: "m1", Code: "c", Message: "why"}, &RejectedError{}}
	if got := e.errors(); !reflect.DeepEqual(got, want) || got[0].Error() != "analytics: call m1 was rejected: c: why" {
		t.Errorf("errors %v", got)
	}
}

func TestA2xxThatIsNotFromHooklineIsTriedAgainAndThenReported(t *testing.T) {
	for name, foreign := range map[string]string{
		"a login page":    "<!doctype html><title>Sign in</title>",
		"success: false":  `{"success":false}`,
		"success as text": `{"success":"true"}`,
		"no success":      `{"ok":true}`,
		"text":            "ok",
		"a list":          `[{"success":true}]`,
		"nothing":         " ",
		"over 2 MiB":      `{"success":true,"text":"` + strings.Repeat("x", maxResponseBytes) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			e := open(t, func(w http.ResponseWriter, _ *http.Request, index int) {
				if index != 1 {
					fmt.Fprint(w, foreign)
				}
			})
			e.MaxRetries = 1
			e.track(t, 0, 1)
			go e.clock.pass(100 * time.Millisecond)
			flushed(t, e, FlushResult{Delivered: 1})
			e.track(t, 1, 1)
			go e.clock.pass(100 * time.Millisecond)
			flushed(t, e, FlushResult{Failed: 1})
			failures := e.errors()
			if len(failures) != 1 || failures[0].Error() != "analytics: 1 call failed: 200 unexpected_response" {
				t.Errorf("errors %v", failures)
			}
		})
	}
}

func TestALargeResponseDoesNotChangeTheMeaningOfItsStatus(t *testing.T) {
	e := open(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		w.WriteHeader(400)
		fmt.Fprint(w, strings.Repeat("x", maxResponseBytes+1))
	})
	e.track(t, 0, 3)
	flushed(t, e, FlushResult{Failed: 3})
}

func TestAFlushWaitsForAllEarlierCalls(t *testing.T) {
	release := make(chan struct{})
	e := open(t, func(_ http.ResponseWriter, _ *http.Request, index int) {
		if index == 0 {
			<-release
		}
	})
	e.Size = 5
	e.track(t, 0, 5)
	e.waitForRequests(1)
	results := make(chan FlushResult, 2)
	wait := func() {
		result, _ := e.Flush(context.Background())
		results <- result
	}
	go wait()
	e.track(t, 5, 3)
	go wait()
	close(release)
	for range [2]int{} {
		result := <-results
		if result.Failed != 0 || result.Pending != 0 || len(e.events()) < result.Delivered {
			t.Errorf("%+v, arrived: %v", result, e.events())
		}
	}
	if got := e.sizes(); !reflect.DeepEqual(got, []int{5, 3}) {
		t.Errorf("batches of %v", got)
	}
}

func TestAFlushEndsWithItsContextAndTheCallsRemainQueued(t *testing.T) {
	release := make(chan struct{})
	e := open(t, func(http.ResponseWriter, *http.Request, int) { <-release })
	e.track(t, 0, 3)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		e.waitForRequests(1)
		cancel()
	}()
	result, err := e.Flush(ctx)
	if err != context.Canceled || result != (FlushResult{Pending: 3}) {
		t.Errorf("%+v %v", result, err)
	}
	close(release)
	if err := e.Close(); err != nil || e.Stats() != (Stats{Queued: 3, Delivered: 3}) {
		t.Errorf("%v %+v", err, e.Stats())
	}
}

func TestOnErrorReceivesEveryFailureBeforeAFlushReturns(t *testing.T) {
	e := open(t, statuses(400))
	for i := 1; i <= 50; i++ {
		e.track(t, 0, 1)
		flushed(t, e, FlushResult{Failed: 1})
		if len(e.errors()) != i {
			t.Fatalf("%d of %d failures reported", len(e.errors()), i)
		}
	}
}
