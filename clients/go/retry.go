package analytics

import (
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	firstDelay   = 100 * time.Millisecond
	longestDelay = 30 * time.Second
	// longestRequestedDelay is the longest delay that a server may ask for: a mistake of the server or of a proxy must not
	// stop the client for days.
	longestRequestedDelay = 300 * time.Second
)

// afterTry decides whether a batch is sent again after this response, and how long the client waits before.
// retry counts from 1, and random is from 0 to 1.
func afterTry(r response, retry, maxRetries int, random float64, now time.Time) (wait time.Duration, again bool) {
	if !isRetryable(r) || retry > maxRetries {
		return 0, false
	}
	return max(retryDelay(retry, random), retryAfter(r.retryAfter, now)), true
}

// isRetryable says whether to try again after this response, or after none. Something that responds 200 and is not the
// service, such as a login page, may go away.
func isRetryable(r response) bool {
	switch r.status {
	case 0, http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	}
	return r.status >= 500 || r.isOK() && !r.isAccepted
}

// retryDelay is 100 ms before the first retry, doubling up to 30 s, minus a random part of up to a half, so that many
// clients do not return at the same time.
func retryDelay(retry int, random float64) time.Duration {
	backoff := min(float64(longestDelay), float64(firstDelay)*math.Pow(2, float64(retry-1)))
	return time.Duration(backoff * (0.5 + random/2))
}

// retryAfter is the delay that a Retry-After header asks for, in seconds or as a date (RFC 9110, section 10.2.3), from 0
// to 300 s. 0 if the header is empty or unreadable.
func retryAfter(header string, now time.Time) time.Duration {
	var seconds float64
	if header = strings.TrimSpace(header); isNumber.MatchString(header) {
		// A number that is too long for float64 becomes infinity.
		seconds, _ = strconv.ParseFloat(header, 64)
	} else if date, err := http.ParseTime(header); err == nil {
		seconds = date.Sub(now).Seconds()
	}
	return time.Duration(max(0, min(seconds, longestRequestedDelay.Seconds())) * float64(time.Second))
}

var isNumber = regexp.MustCompile(`^\d+(\.\d+)?$`)
