// Makes the calls in a file with github.com/segmentio/analytics-go 2. Version 2.0 needs the build tag v20.
package main

import (
	"time"

	"github.com/segmentio/analytics-go"
	"hookline.test/clients/calls"
)

func main() {
	client := analytics.New(calls.WriteKey)
	client.Endpoint = calls.Endpoint
	client.Interval = calls.Interval
	client.Size = calls.Batch
	configure(client)
	calls.Methods["screen"] = false
	calls.Make(func(call calls.Call) error { return enqueue(client, call) })
	beforeClose()
	if err := client.Close(); err != nil {
		calls.Report(err.Error())
	}
	calls.Done()
}

func enqueue(client *analytics.Client, call calls.Call) error {
	switch call.Type {
	case "identify":
		return client.Identify(identify(call))
	case "track":
		return client.Track(track(call))
	case "page":
		return client.Page(page(call))
	case "group":
		return client.Group(group(call))
	default:
		return client.Alias(&analytics.Alias{UserId: call.UserID, PreviousId: call.PreviousID, Message: messageOf(call)})
	}
}

func messageOf(call calls.Call) (message analytics.Message) {
	if !call.Timestamp.IsZero() {
		message.Timestamp = call.Timestamp.Format(time.RFC3339Nano)
	}
	return message
}
