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

// maxResponseBytes is larger than the service's response when it rejects every call in the largest batch.
const maxResponseBytes = 2 << 20

// response is the response to a batch, or the reason why there was none.
type response struct {
	// status is 0 if there was no response. err is then the reason.
	status     int
	retryAfter string
	// isAccepted reports whether the body confirms that the service accepted the batch.
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

// isSuccess reports whether the service accepted the batch. A 2xx is not sufficient: it may be from a login page.
func (r response) isSuccess() bool { return r.isOK() && r.isAccepted }

func (r response) isOK() bool { return r.status >= 200 && r.status < 300 }

// post sends a body, and reads the response. The body of the response is ignored if it is larger than any response from the
// service, or if it cannot be read and the status is not 2xx.
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

// causeOf returns the cause of ctx if it has ended with one, or else err.
func causeOf(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return err
}

// parseResponse parses the body of a response. An invalid body, such as a proxy's HTML, counts as unsuccessful.
func parseResponse(text []byte) response {
	var rejected []rejectedMessage
	var body struct {
		Success  json.RawMessage   `json:"success"`
		Code     json.RawMessage   `json:"code"`
		Rejected []json.RawMessage `json:"rejected"`
	}
	// A faulty server may send anything: fields of another type are ignored.
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

// textOf returns the value of a JSON string, or "" for a value of another type.
func textOf(value json.RawMessage) (text string) {
	_ = json.Unmarshal(value, &text)
	return text
}
