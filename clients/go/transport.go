package analytics

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
)

// maxResponseBytes is more than the service writes when it rejects every call of the largest batch.
const maxResponseBytes = 2 << 20

// response is the response to a batch, or the reason why there was none.
type response struct {
	// status is 0 if there was no response; err then has the reason.
	status     int
	retryAfter string
	// isAccepted says whether the body says that the service took the batch.
	isAccepted bool
	code       string
	rejected   []rejectedMessage
	err        error
}

// rejectedMessage is one message that the service rejected.
type rejectedMessage struct {
	// Index is its position in the batch.
	Index     int
	MessageID string
	Code      string
	Message   string
}

// isSuccess says whether the service took the batch. A 2xx alone does not: a login page responds with it, too.
func (r response) isSuccess() bool { return r.isOK() && r.isAccepted }

func (r response) isOK() bool { return r.status >= 200 && r.status < 300 }

// post sends a body, and reads the response. A response that is larger than any of the service counts by its status alone,
// and so does one that is no success and cannot be read.
func (s settings) post(ctx context.Context, body []byte) response {
	request, err := s.request(ctx, body)
	if err != nil {
		return response{err: err}
	}
	received, err := s.http.Do(request)
	if err != nil {
		return response{err: causeOf(ctx, err)}
	}
	defer received.Body.Close()
	text, err := io.ReadAll(io.LimitReader(received.Body, maxResponseBytes+1))
	if err != nil || len(text) > maxResponseBytes {
		text = nil
	}
	parsed := parseResponse(text)
	parsed.status, parsed.retryAfter = received.StatusCode, strings.Join(received.Header.Values("Retry-After"), ", ")
	if err != nil && parsed.isOK() {
		return response{err: causeOf(ctx, err)}
	}
	if parsed.code == "" && parsed.status < 400 && !parsed.isAccepted {
		parsed.code = "unexpected_response"
	}
	return parsed
}

func (s settings) request(ctx context.Context, body []byte) (*http.Request, error) {
	isCompressed := s.compress && len(body) > compressedFromBytes
	if isCompressed {
		compressed, err := gzipped(body)
		if err != nil {
			return nil, err
		}
		body = compressed
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", s.authorization)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "hookline-go/"+Version)
	if isCompressed {
		request.Header.Set("Content-Encoding", "gzip")
	}
	return request, nil
}

// causeOf returns why ctx ended, if it did.
func causeOf(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return err
}

// parseResponse returns what the body of a response says; nothing if it is not JSON, such as a proxy's HTML.
func parseResponse(text []byte) response {
	var rejected []rejectedMessage
	var body struct {
		Success  json.RawMessage   `json:"success"`
		Code     json.RawMessage   `json:"code"`
		Rejected []json.RawMessage `json:"rejected"`
	}
	// A server that is broken may send anything: what has another type is left out.
	_ = json.Unmarshal(text, &body)
	for _, item := range body.Rejected {
		var fields struct {
			Index     *int            `json:"index"`
			MessageID json.RawMessage `json:"messageId"`
			Code      json.RawMessage `json:"code"`
			Message   json.RawMessage `json:"message"`
		}
		if json.Unmarshal(item, &fields) != nil || fields.Index == nil {
			continue
		}
		rejected = append(rejected, rejectedMessage{
			Index: *fields.Index, MessageID: textOf(fields.MessageID), Code: textOf(fields.Code), Message: textOf(fields.Message),
		})
	}
	return response{isAccepted: string(body.Success) == "true", code: textOf(body.Code), rejected: rejected}
}

// textOf returns a JSON string as text, and nothing for a value of another type.
func textOf(value json.RawMessage) (text string) {
	_ = json.Unmarshal(value, &text)
	return text
}
