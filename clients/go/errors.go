package analytics

import (
	"errors"
	"fmt"
	"strings"
)

// ErrClosed is returned by calls after Close, and by Flush if calls remain when the client is closed.
var ErrClosed = errors.New("analytics: the client is closed")

// ErrQueueFull is returned by a call if the queue is full; Enqueue wraps it. OnError also gets it once for each burst of such calls, for
// programs that ignore the errors from calls.
var ErrQueueFull = errors.New("analytics: the queue is full: this call was not queued")

// ConfigError is returned by every method except Stats if the write key or a field of the client is invalid.
type ConfigError struct {
	// Field is the field of Client, or "key" for the write key.
	Field  string
	Reason string
}

func (e *ConfigError) Error() string {
	return fmt.Sprintf("analytics: %s %s", e.Field, e.Reason)
}

// ValidationError is returned by an invalid call.
type ValidationError struct {
	// Code is a code of the ingestion API; docs/reference/errors.md has a remedy for each.
	Code   string
	Detail string
	// Err is the error of encoding/json, if any.
	Err error
}

func (e *ValidationError) Error() string {
	return fmt.Sprintf("analytics: %s: %s", e.Code, e.Detail)
}

func (e *ValidationError) Unwrap() error { return e.Err }

// DeliveryError is passed to OnError if calls failed permanently: the service rejected them, or the last retry failed.
type DeliveryError struct {
	// Messages is the number of failed calls.
	Messages int
	// Status is the status of the response to the last attempt; 0 if there was none.
	Status int
	// Code is the error code in that response, if any.
	Code string
	// Err is the reason if there was no response.
	Err error
}

func (e *DeliveryError) Error() string {
	reason := strings.TrimRight(fmt.Sprintf("%d %s", e.Status, e.Code), " ")
	if e.Status == 0 {
		reason = fmt.Sprintf("no response: %v", e.Err)
	}
	return fmt.Sprintf("analytics: %s failed: %s", counted(e.Messages), reason)
}

func (e *DeliveryError) Unwrap() error { return e.Err }

// RejectedError is passed to OnError if the service rejected a call. It may have accepted others in the same request.
type RejectedError struct {
	MessageId string
	Code      string
	Message   string
}

func (e *RejectedError) Error() string {
	return fmt.Sprintf("analytics: call %s was rejected: %s: %s", e.MessageId, e.Code, e.Message)
}

// UndeliveredError is returned by Close after its timeout, and by CloseContext when ctx is done, if calls remain. The remaining
// calls are no longer sent.
type UndeliveredError struct {
	// Messages is the number of remaining calls. Calls in flight may have arrived.
	Messages int
	// Err is the cause of the context, as context.Cause returns it.
	Err error
}

func (e *UndeliveredError) Error() string {
	return fmt.Sprintf("analytics: %s not delivered in time: %v", counted(e.Messages), e.Err)
}

func counted(calls int) string {
	if calls == 1 {
		return "1 call"
	}
	return fmt.Sprintf("%d calls", calls)
}

func (e *UndeliveredError) Unwrap() error { return e.Err }
