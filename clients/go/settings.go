package analytics

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	defaultSize     = 20
	defaultInterval = 5 * time.Second
	// maxSize is the service's limit on calls per request.
	maxSize = 2500
)

// settings are the validated fields of a Client.
type settings struct {
	bounds
	url             string
	authorization   string
	flushAfter      time.Duration
	maxMessageBytes int
	maxRetries      int
	timeout         time.Duration
	compress        bool
	disabled        bool
	http            *http.Client
}

// settings returns a *ConfigError for an invalid field.
func (c *Client) settings() (settings, error) {
	if c.key == "" || strings.ContainsFunc(c.key, isNotPrintable) {
		return settings{}, &ConfigError{Field: "key", Reason: "must be the write key of a source"}
	}
	target, err := batchURL(c.Endpoint)
	if err != nil {
		return settings{}, err
	}
	if err = c.checkNumbers(); err != nil {
		return settings{}, err
	}
	client := c.Client
	// A redirect would turn the POST into a GET, whose response says nothing about the batch.
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return settings{
		bounds: bounds{
			flushAt:          c.flushAt(),
			maxBatchBytes:    c.MaxBatchBytes,
			maxQueueBytes:    c.MaxQueueBytes,
			maxQueueMessages: c.MaxQueueMessages,
		},
		url:             target,
		authorization:   "Basic " + base64.StdEncoding.EncodeToString([]byte(c.key+":")),
		flushAfter:      c.flushAfter(),
		maxMessageBytes: c.MaxMessageBytes,
		maxRetries:      c.MaxRetries,
		timeout:         c.Timeout,
		compress:        !c.NoGzip,
		disabled:        c.Disabled,
		http:            &client,
	}, nil
}

func (c *Client) checkNumbers() error {
	for _, each := range []struct {
		field string
		value int64
		min   int
	}{
		{"MaxMessageBytes", int64(c.MaxMessageBytes), 1},
		{"MaxBatchBytes", int64(c.MaxBatchBytes), c.MaxMessageBytes + envelopeBytes},
		{"MaxQueueMessages", int64(c.MaxQueueMessages), 1},
		{"MaxQueueBytes", int64(c.MaxQueueBytes), c.MaxMessageBytes},
		{"MaxRetries", int64(c.MaxRetries), 0},
		{"Timeout", int64(c.Timeout), 1},
	} {
		if each.value < int64(each.min) {
			return &ConfigError{Field: each.field, Reason: fmt.Sprintf("must be at least %d", each.min)}
		}
	}
	return nil
}

func (c *Client) flushAt() int {
	for _, size := range []int{c.FlushAt, c.Size} {
		if size > 0 {
			return min(size, maxSize)
		}
	}
	return defaultSize
}

func (c *Client) flushAfter() time.Duration {
	for _, interval := range []time.Duration{c.FlushAfter, c.Interval} {
		if interval > 0 {
			return interval
		}
	}
	return defaultInterval
}

// isNotPrintable reports whether the character is invisible or not allowed in an HTTP header.
func isNotPrintable(char rune) bool { return char < 0x21 || char > 0x7e }

func batchURL(endpoint string) (string, error) {
	parsed, err := url.Parse(endpoint)
	// The reason does not quote the endpoint, which may contain a secret.
	if err != nil || parsed.Host == "" || parsed.User != nil || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return "", &ConfigError{Field: "Endpoint", Reason: "must be an http or https URL without credentials"}
	}
	joined := parsed.JoinPath("v1", "batch")
	joined.Fragment, joined.RawFragment = "", ""
	return joined.String(), nil
}
