package analytics

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// The formats that the service accepts: ISO 8601, with or without a time and an offset, and the format of time.Time.String. After
// an offset, a zone name, a monotonic clock reading and names in brackets may follow.
var timestampFormat = regexp.MustCompile(`(?i)^(\d{4})-(\d{1,2})-(\d{1,2})` +
	`(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)? ?` +
	`(?:(?:Z|UTC|GMT|([+-])(\d{2})(?::?(\d{2}))?(?: (?:[A-Z]{2,5}|[+-]\d{2,4}))?(?: m=[+-]\d+\.\d+)?)` +
	`(?:\[[^\[\]]*\])*)?)?$`)

// isReadable reports whether the service accepts the timestamp. The service replaces any other timestamp with the current
// time, so an import of history would silently get wrong times.
func isReadable(timestamp string) bool {
	if timestamp == "" {
		return true
	}
	parts := timestampFormat.FindStringSubmatch(strings.Trim(timestamp, " \t\r\n"))
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
	// time.Date turns the 30th of February into a day in March.
	date := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	if date.Month() != month || date.Day() != day {
		return false
	}
	utc := time.Date(year, month, day, hour, minute, second, 0, time.UTC).Add(-offset).Year()
	return utc >= 0 && utc <= 9999
}
