//go:build v20

package main

import (
	"log"

	"github.com/segmentio/analytics-go"
	"hookline.test/clients/calls"
)

// configure takes the lines of the standard log, as this version has no logger of its own.
func configure(*analytics.Client) {
	log.SetOutput(calls.ErrorLog{})
	log.SetFlags(0)
}

// This version has no integrations.

func identify(call calls.Call) *analytics.Identify {
	return &analytics.Identify{UserId: call.UserID, AnonymousId: call.AnonymousID, Traits: call.Traits,
		Context: call.Context, Message: messageOf(call)}
}

func track(call calls.Call) *analytics.Track {
	return &analytics.Track{UserId: call.UserID, AnonymousId: call.AnonymousID, Event: call.Event, Properties: call.Properties,
		Context: call.Context, Message: messageOf(call)}
}

func page(call calls.Call) *analytics.Page {
	return &analytics.Page{UserId: call.UserID, AnonymousId: call.AnonymousID, Name: call.Name, Category: call.Category,
		Traits: call.Properties, Context: call.Context, Message: messageOf(call)}
}

func group(call calls.Call) *analytics.Group {
	return &analytics.Group{UserId: call.UserID, AnonymousId: call.AnonymousID, GroupId: call.GroupID, Traits: call.Traits,
		Context: call.Context, Message: messageOf(call)}
}
