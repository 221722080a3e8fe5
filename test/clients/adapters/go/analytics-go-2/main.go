// Command analytics-go-2 drives version 2.1.1 of analytics-go.
package main

import (
	"log"
	"time"

	"github.com/segmentio/analytics-go"
	"hookline.dev/test/clients/adapter"
)

type client struct{ *analytics.Client }

func (c client) Track(event string, properties map[string]interface{}) error {
	return c.Client.Track(&analytics.Track{UserId: "u1", Event: event, Properties: properties})
}

func (client) Flush() (adapter.Result, error) { return adapter.Result{}, adapter.ErrNoFlush }

func (c client) Close(time.Duration) error { return c.Client.Close() }

// reports treats each line of the log as an error that the library reports.
type reports func()

func (r reports) Write(line []byte) (int, error) {
	r()
	return len(line), nil
}

func main() {
	adapter.Run(func(options adapter.Options, report func()) adapter.Client {
		c := analytics.New("wk_test")
		c.Endpoint, c.Size, c.Interval = options.Endpoint, options.FlushAt, options.FlushAfter()
		c.Client.Timeout = options.Timeout()
		c.Logger = log.New(reports(report), "", 0)
		return client{c}
	})
}
