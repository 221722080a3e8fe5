package analytics

import (
	"errors"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	firstDelay = 100 * time.Millisecond
	maxDelay   = 30 * time.Second
	// maxRequestedDelay is the maximum delay that a server can request: a mistake by the server or a proxy must not stop the
	// client for days.
	maxRequestedDelay = 300 * time.Second
)

// afterTry decides whether a batch is sent again after this response, and returns the delay.
// retry counts from 1, and random is from 0 to 1.
func afterTry(r response, retry, maxRetries int, random float64, now time.Time) (wait time.Duration, again bool) {
	if !isRetryable(r) || retry > maxRetries {
		return 0, false
	}
	return max(retryDelay(retry, random), retryAfter(r.retryAfter, now)), true
}

// isRetryable reports whether to try again after this response, or without one. A 2xx that does not come from the service,
// such as a login page, may be temporary.
func isRetryable(r response) bool {
	switch r.status {
	case 0, http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	}
	return r.status >= 500 || r.isOK() && !r.isAccepted
}

// retryDelay is 100 ms before the first retry, doubling up to 30 s, reduced by up to half at random, so that many clients do
// not retry at the same time.
func retryDelay(retry int, random float64) time.Duration {
	backoff := min(float64(maxDelay), float64(firstDelay)*math.Pow(2, float64(retry-1)))
	return time.Duration(backoff * (0.5 + random/2))
}

// retryAfter is the delay in a Retry-After header, from 0 to 300 s: the first number of seconds or date in it.
// 0 if it has neither. testdata/retry-after.json lists examples.
func retryAfter(header string, now time.Time) time.Duration {
	match := retryAfterFormat.FindStringSubmatch(header)
	if match == nil {
		return 0
	}
	// A number too large for float64 becomes infinity.
	seconds, err := strconv.ParseFloat(match[1], 64)
	if errors.Is(err, strconv.ErrSyntax) {
		date, err := parseDate(match[1])
		if err != nil {
			return 0
		}
		seconds = date.Sub(now).Seconds()
	}
	return time.Duration(max(0, min(seconds, maxRequestedDelay.Seconds())) * float64(time.Second))
}

// retryAfterFormat matches a number, or a date in one of the three HTTP formats (RFC 9110, section 5.6.7). Servers also send
// fractions, one-digit days, and other names for UTC. A proxy that merges two headers produces a list.
var retryAfterFormat = regexp.MustCompile(
	`(?:^|,)[ \t]*(\d+(?:\.\d+)?|[A-Z][a-z]+,? [\w -]+ \d\d:\d\d:\d\d (?:GMT|UTC|\+0000|\d{4}))[ \t]*(?:,|$)`)

func parseDate(text string) (time.Time, error) {
	for _, zone := range []string{" UTC", " +0000"} {
		if date, isCut := strings.CutSuffix(text, zone); isCut {
			text = date + " GMT"
		}
	}
	if date, err := time.Parse("Mon, 2 Jan 2006 15:04:05 GMT", text); err == nil {
		return date, nil
	}
	return http.ParseTime(text)
}
