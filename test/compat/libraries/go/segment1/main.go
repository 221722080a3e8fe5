// Makes the calls in a file with github.com/segmentio/analytics-go 1.
package main

import (
	"github.com/segmentio/analytics-go"
	"hookline.test/clients/calls"
)

func main() {
	client := analytics.New(calls.WriteKey)
	client.Endpoint = calls.Endpoint
	client.FlushAt = calls.Batch
	client.FlushAfter = calls.Interval
	methods := map[string]func(analytics.Message) error{
		"identify": client.Identify, "track": client.Track, "page": client.Page,
		"screen": client.Screen, "group": client.Group, "alias": client.Alias,
	}
	calls.Make(func(call calls.Call) error { return methods[call.Type](messageOf(call)) })
	client.Close()
	calls.Done()
}

func messageOf(call calls.Call) analytics.Message {
	message := analytics.Message{}
	for key, text := range map[string]string{
		"userId": call.UserID, "anonymousId": call.AnonymousID, "previousId": call.PreviousID, "groupId": call.GroupID,
		"event": call.Event, "name": call.Name, "category": call.Category,
	} {
		if text != "" {
			message[key] = text
		}
	}
	for key, object := range map[string]map[string]any{
		"traits": call.Traits, "properties": call.Properties, "context": call.Context, "integrations": call.Integrations,
	} {
		if object != nil {
			message[key] = object
		}
	}
	if !call.Timestamp.IsZero() {
		message["timestamp"] = call.Timestamp
	}
	return message
}
