package analytics

import (
	"errors"
	"fmt"
	"strings"
)

// ErrClosed is returned by a call that is made after Close.
var ErrClosed = errors.New("analytics: the client is closed: this call was not queued")

// ErrQueueFull is returned by a call for which the queue has no room. OnError gets it once for each burst of such calls,
// for programs that ignore the errors of calls.
var ErrQueueFull = errors.New("analytics: the queue is full: this call was not queued")

// ConfigError is returned by every method of a client with a field that cannot work.
type ConfigError struct {
	// Field is the field of Client, or "key" for the write key.
	Field  string
	Reason string
}

func (e *ConfigError) Error() string {
	return fmt.Sprintf("analytics: %s %s", e.Field, e.Reason)
}

// ValidationError is returned by a call that the service would always refuse: a mistake in the program.
type ValidationError struct {
	// Code is the code that the service would respond with; docs/reference/errors.md has a remedy for each.
	Code   string
	Detail string
	// Err is the error of encoding/json, if there is one.
	Err error
}

func (e *ValidationError) Error() string {
	return fmt.Sprintf("analytics: %s: %s", e.Code, e.Detail)
}

func (e *ValidationError) Unwrap() error { return e.Err }

// DeliveryError is passed to OnError: these calls failed for good. The service refused them, or the last retry failed.
type DeliveryError struct {
	// Messages is the number of calls that failed.
	Messages int
	// Status of the last response; 0 if there was none.
	Status int
	// Code in the last response; empty if it has none.
	Code string
	// Err is the reason why there was no response.
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

// RejectedError is passed to OnError: the service rejected this call. It may have accepted others of the same request.
type RejectedError struct {
	MessageId string
	Code      string
	Message   string
}

func (e *RejectedError) Error() string {
	return fmt.Sprintf("analytics: call %s was rejected: %s: %s", e.MessageId, e.Code, e.Message)
}

// UndeliveredError is returned by Close and CloseContext: the time ran out, and these calls are not sent any more.
type UndeliveredError struct {
	// Messages is the number of calls that were left. Those in flight may have arrived or not.
	Messages int
	// Err is the error of the context.
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
