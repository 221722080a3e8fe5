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

// retryAfter is the delay that a Retry-After header asks for, from 0 to 300 s: the first number of seconds or date in it.
// 0 if there is none. testdata/retry-after.json has a table of forms.
func retryAfter(header string, now time.Time) time.Duration {
	match := retryAfterForm.FindStringSubmatch(header)
	if match == nil {
		return 0
	}
	// A number that is too long for float64 becomes infinity.
	seconds, err := strconv.ParseFloat(match[1], 64)
	if errors.Is(err, strconv.ErrSyntax) {
		date, err := parseDate(match[1])
		if err != nil {
			return 0
		}
		seconds = date.Sub(now).Seconds()
	}
	return time.Duration(max(0, min(seconds, longestRequestedDelay.Seconds())) * float64(time.Second))
}

// retryAfterForm finds a number, or a date in one of the three forms of HTTP (RFC 9110, section 5.6.7). Servers also send
// fractions, days of one digit, and other names of UTC. A proxy that merges two headers makes a list.
var retryAfterForm = regexp.MustCompile(
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
