package analytics

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func TestTheDelayOfARetryDoublesFrom100MsTo30sMinusUpToHalf(t *testing.T) {
	for retry, want := range map[int]time.Duration{
		1: 100 * time.Millisecond, 2: 200 * time.Millisecond, 8: 12_800 * time.Millisecond, 9: 25_600 * time.Millisecond,
		10: 30 * time.Second, 50: 30 * time.Second, 5000: 30 * time.Second,
	} {
		if got := retryDelay(retry, 1); got != want {
			t.Errorf("retry %d waits at most %v, want %v", retry, got, want)
		}
		if got := retryDelay(retry, 0); got != want/2 {
			t.Errorf("retry %d waits at least %v, want %v", retry, got, want/2)
		}
	}
}

// The service and the TypeScript client are tested with the same table.
func TestRetryAfterIsSecondsOrADateAndAtMost300Seconds(t *testing.T) {
	text, err := os.ReadFile("testdata/retry-after.json")
	if err != nil {
		t.Fatal(err)
	}
	var forms struct {
		Now     time.Time
		Read    [][2]any
		Refused []string
	}
	if err := json.Unmarshal(text, &forms); err != nil {
		t.Fatal(err)
	}
	if len(forms.Read) < 20 || len(forms.Refused) < 20 {
		t.Fatal("the table is incomplete")
	}
	want := map[string]float64{"299": 299, "301": 300, strings.Repeat("9", 400): 300, "Fri, 31 Dec 9999 23:59:59 GMT": 300}
	for _, form := range forms.Read {
		want[form[0].(string)] = max(0, min(form[1].(float64), 300))
	}
	for _, header := range forms.Refused {
		want[header] = 0
	}
	for header, seconds := range want {
		if got := retryAfter(header, forms.Now).Seconds(); got != seconds {
			t.Errorf("%q requests %v s, want %v", header, got, seconds)
		}
	}
}

func TestWhetherABatchIsSentAgainDependsOnTheStatusAndTheRetriesLeft(t *testing.T) {
	for status, want := range map[int]bool{
		0: true, 408: true, 425: true, 429: true, 500: true, 503: true, 599: true,
		200: false, 204: false, 301: false, 307: false, 400: false, 401: false, 404: false, 413: false,
	} {
		if _, again := afterTry(response{status: status, isAccepted: true}, 3, 3, 0, noon); again != want {
			t.Errorf("again after %d: %v", status, again)
		}
		if _, again := afterTry(response{status: status, isAccepted: true}, 4, 3, 0, noon); again {
			t.Errorf("a fourth retry of three after %d", status)
		}
	}
	wait, _ := afterTry(response{status: 503, retryAfter: "7"}, 1, 3, 1, noon)
	if wait != 7*time.Second {
		t.Errorf("waits %v, want 7 s", wait)
	}
}

func FuzzRetryAfterIsFrom0To300Seconds(f *testing.F) {
	f.Add("120")
	f.Add("Sat, 21 Nov 2026 12:00:30 GMT")
	f.Fuzz(func(t *testing.T, header string) {
		if got := retryAfter(header, noon); got < 0 || got > maxRequestedDelay {
			t.Errorf("%q requests %v", header, got)
		}
	})
}

func FuzzABrokenResponseNeverCountsMoreMessagesThanTheBatchHas(f *testing.F) {
	f.Add([]byte(`{"success":true,"rejected":[{"index":1,"messageId":"m1","code":"c","message":"m"},{"index":1},{"index":-1},7]}`), 200)
	f.Add([]byte(`{"rejected":{},"code":7}`), 200)
	f.Add([]byte(`<html>`), 502)
	f.Fuzz(func(t *testing.T, text []byte, status int) {
		parsed := parseResponse(text)
		parsed.status = status
		o := outcomeOf(batch{first: 5, messages: make([][]byte, 3)}, parsed)
		failed := 0
		for _, err := range o.errors() {
			switch err := err.(type) {
			case *DeliveryError:
				failed += err.Messages
			case *RejectedError:
				failed++
			}
		}
		if delivered := o.delivered(8); delivered+failed != 3 || delivered < 0 || o.delivered(5) != 0 {
			t.Errorf("%d delivered, %d failed of 3: %q", delivered, failed, text)
		}
	})
}

func TestTheResponseToTheLargestRejectedBatchIsReadCompletely(t *testing.T) {
	item := m{"index": 2499, "messageId": strings.Repeat("😀", 50), "code": strings.Repeat("c", 40), "message": strings.Repeat("m", 400)}
	items := make([]m, maxSize)
	for i := range items {
		items[i] = item
	}
	text, err := json.Marshal(m{"success": true, "rejected": items})
	if err != nil || len(text) > maxResponseBytes {
		t.Errorf("the response has %d bytes, of at most %d (%v)", len(text), maxResponseBytes, err)
	}
}
