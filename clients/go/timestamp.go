package analytics

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// The forms that the service reads: ISO 8601, with a zone by its offset, and what t.String() returns. After an offset,
// the name of the zone and a reading of the monotonic clock may follow.
var timestampForm = regexp.MustCompile(`(?i)^(\d{4})-(\d{1,2})-(\d{1,2})` +
	`(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)? ?` +
	`(?:(?:Z|UTC|GMT|([+-])(\d{2})(?::?(\d{2}))?(?: (?:[A-Z]{2,5}|[+-]\d{2,4}))?(?: m=[+-]\d+\.\d+)?)` +
	`(?:\[[^\[\]]*\])*)?)?$`)

// isReadable is false for a timestamp that the service cannot read: it would take the present instead, and an import of
// history would be wrong in silence.
func isReadable(timestamp string) bool {
	if timestamp == "" {
		return true
	}
	parts := timestampForm.FindStringSubmatch(strings.Trim(timestamp, " \t\r\n"))
	if parts == nil {
		return false
	}
	number := func(i int) int {
		n, _ := strconv.Atoi(parts[i]) // Digits, or nothing.
		return n
	}
	year, month, day := number(1), time.Month(number(2)), number(3)
	hour, minute, second := number(4), number(5), number(6)
	offset := time.Duration(number(8))*time.Hour + time.Duration(number(9))*time.Minute
	if hour > 23 || minute > 59 || second > 60 || number(8) > 23 || number(9) > 59 {
		return false
	}
	if parts[7] == "-" {
		offset = -offset
	}
	// time.Date moves the 30th of February to March.
	date := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	if date.Month() != month || date.Day() != day {
		return false
	}
	utc := time.Date(year, month, day, hour, minute, second, 0, time.UTC).Add(-offset).Year()
	return utc >= 0 && utc <= 9999
}
