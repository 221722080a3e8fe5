//go:build !v20

package main

import (
	"log"
	"time"

	"github.com/segmentio/analytics-go"
	"github.com/segmentio/backo-go"
	"hookline.test/clients/calls"
)

func configure(client *analytics.Client) {
	client.Logger = log.New(calls.ErrorLog{}, "", 0)
	// Shorter delays than the default: the tenth attempt is after 21 s instead of 33 s.
	analytics.Backo = backo.NewBacko(100*time.Millisecond, 2, 0, 5*time.Second)
}

// beforeClose does nothing: Close in this version waits for the queue.
func beforeClose() {}

func identify(call calls.Call) *analytics.Identify {
	return &analytics.Identify{UserId: call.UserID, AnonymousId: call.AnonymousID, Traits: call.Traits,
		Context: call.Context, Integrations: call.Integrations, Message: messageOf(call)}
}

func track(call calls.Call) *analytics.Track {
	return &analytics.Track{UserId: call.UserID, AnonymousId: call.AnonymousID, Event: call.Event, Properties: call.Properties,
		Context: call.Context, Integrations: call.Integrations, Message: messageOf(call)}
}

func page(call calls.Call) *analytics.Page {
	return &analytics.Page{UserId: call.UserID, AnonymousId: call.AnonymousID, Name: call.Name, Category: call.Category,
		Traits: call.Properties, Context: call.Context, Integrations: call.Integrations, Message: messageOf(call)}
}

func group(call calls.Call) *analytics.Group {
	return &analytics.Group{UserId: call.UserID, AnonymousId: call.AnonymousID, GroupId: call.GroupID, Traits: call.Traits,
		Context: call.Context, Integrations: call.Integrations, Message: messageOf(call)}
}
