package analytics

import (
	"bytes"
	"compress/gzip"
	"sync"
	"time"
)

const (
	bodyPrefix = `{"batch":[`
	bodyMiddle = `],"sentAt":"`
	bodySuffix = `"}`
	timeFormat = "2006-01-02T15:04:05.000Z"
	// envelopeBytes is the size of a body without its messages and the commas between them.
	envelopeBytes = len(bodyPrefix) + len(bodyMiddle) + len(timeFormat) + len(bodySuffix)
	// compressedFromBytes is the size above which compression is worthwhile.
	compressedFromBytes = 1024
)

// timestampOf formats the time for the API.
func timestampOf(t time.Time) string { return t.UTC().Format(timeFormat) }

// bodyOf returns the body of a request that is sent now.
func bodyOf(messages [][]byte, now time.Time) []byte {
	size := envelopeBytes + len(messages)
	for _, message := range messages {
		size += len(message)
	}
	body := append(make([]byte, 0, size), bodyPrefix...)
	for i, message := range messages {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, message...)
	}
	body = append(body, bodyMiddle...)
	body = append(body, timestampOf(now)...)
	return append(body, bodySuffix...)
}

// gzipWriters reuses writers, because each allocates large tables.
var gzipWriters = sync.Pool{New: func() interface{} { return gzip.NewWriter(nil) }}

func gzipped(body []byte) ([]byte, error) {
	writer := gzipWriters.Get().(*gzip.Writer)
	defer gzipWriters.Put(writer)
	var buffer bytes.Buffer
	writer.Reset(&buffer)
	if _, err := writer.Write(body); err != nil {
		return nil, err
	}
	if err := writer.Close(); err != nil {
		return nil, err
	}
	return buffer.Bytes(), nil
}
