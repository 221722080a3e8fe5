// Command analytics-go-3 measures version 3 of analytics-go.
package main

import (
	"github.com/segmentio/analytics-go/v3"
	"hookline.dev/bench/load"
)

type client struct{ analytics.Client }

func (c client) Track(call load.Call) {
	check(c.Enqueue(analytics.Track{UserId: call.UserID, Event: call.Event, Properties: call.Properties}))
}

func (c client) Close() { check(c.Client.Close()) }

func main() {
	load.Run(analytics.DefaultBatchSize, func(server *load.Server) load.Client {
		c, err := analytics.NewWithConfig("wk_bench", analytics.Config{Transport: server})
		check(err)
		return client{c}
	})
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
