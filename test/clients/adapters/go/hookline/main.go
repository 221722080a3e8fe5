// Command hookline drives the client library in clients/go.
package main

import (
	"context"
	"time"

	analytics "hookline.dev/clients/go"
	"hookline.dev/test/clients/adapter"
)

type client struct{ *analytics.Client }

func (c client) Track(event string, properties map[string]interface{}) error {
	return c.Client.Track(&analytics.Track{UserId: "u1", Event: event, Properties: properties})
}

func (c client) Flush() (adapter.Result, error) {
	result, err := c.Client.Flush(context.Background())
	return adapter.Result{Delivered: result.Delivered, Failed: result.Failed}, err
}

func (c client) Close(timeout time.Duration) error {
	if timeout == 0 {
		return c.Client.Close()
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return c.Client.CloseContext(ctx)
}

func main() {
	adapter.Run(func(options adapter.Options, report func()) adapter.Client {
		c := analytics.New("wk_test")
		c.Endpoint, c.FlushAt, c.FlushAfter = options.Endpoint, options.FlushAt, options.FlushAfter()
		c.MaxRetries, c.Timeout = options.MaxRetries, options.Timeout()
		c.OnError = func(error) { report() }
		return client{c}
	})
}
