// Command analytics-go-3 drives version 3 of analytics-go.
package main

import (
	"net/http"
	"time"

	"github.com/segmentio/analytics-go/v3"
	"hookline.dev/test/clients/adapter"
)

type client struct{ analytics.Client }

func (c client) Track(event string, properties map[string]interface{}) error {
	return c.Enqueue(analytics.Track{UserId: "u1", Event: event, Properties: properties})
}

func (client) Flush() (adapter.Result, error) { return adapter.Result{}, adapter.ErrNoFlush }

func (c client) Close(time.Duration) error { return c.Client.Close() }

type reports func()

func (reports) Success(analytics.Message) {}

func (r reports) Failure(analytics.Message, error) { r() }

// silence discards log messages, because Failure reports the same errors.
type silence struct{}

func (silence) Logf(string, ...interface{})   {}
func (silence) Errorf(string, ...interface{}) {}

// limited returns a transport with a request timeout. The library's own timeout of 10 s cannot be configured.
func limited(timeout time.Duration) http.RoundTripper {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = timeout
	return transport
}

func main() {
	adapter.Run(func(options adapter.Options, report func()) adapter.Client {
		c, err := analytics.NewWithConfig("wk_test", analytics.Config{
			Endpoint: options.Endpoint, BatchSize: options.FlushAt, Interval: options.FlushAfter(),
			Transport: limited(options.Timeout()), Callback: reports(report), Logger: silence{},
		})
		if err != nil {
			panic(err)
		}
		return client{c}
	})
}
