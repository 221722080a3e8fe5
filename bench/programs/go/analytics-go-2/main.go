// Command analytics-go-2 measures version 2.1.1 of analytics-go.
package main

import (
	"github.com/segmentio/analytics-go"
	"hookline.dev/bench/load"
)

// size is the library's default batch size.
const size = 250

type client struct{ *analytics.Client }

func (c client) Track(call load.Call) {
	err := c.Client.Track(&analytics.Track{UserId: call.UserID, Event: call.Event, Properties: call.Properties})
	check(err)
}

func (c client) Close() { check(c.Client.Close()) }

func main() {
	load.Run(size, func(server *load.Server) load.Client {
		c := analytics.New("wk_bench")
		c.Client.Transport = server
		return client{c}
	})
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
