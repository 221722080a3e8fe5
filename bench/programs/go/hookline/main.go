// Command hookline measures the client library in clients/go.
package main

import (
	"hookline.dev/bench/load"
	analytics "hookline.dev/clients/go"
)

type client struct{ *analytics.Client }

func (c client) Track(call load.Call) {
	err := c.Client.Track(&analytics.Track{UserId: call.UserID, Event: call.Event, Properties: call.Properties})
	check(err)
}

func (c client) Close() { check(c.Client.Close()) }

func main() {
	load.Run(0, func(server *load.Server) load.Client {
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
