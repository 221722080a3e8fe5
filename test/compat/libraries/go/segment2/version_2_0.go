//go:build v20

package main

import (
	"log"
	"strings"
	"sync/atomic"
	"time"

	"github.com/segmentio/analytics-go"
	"hookline.test/clients/calls"
)

// configure captures the standard log, because this version has no logger setting.
func configure(client *analytics.Client) {
	client.Verbose = true
	log.SetOutput(verboseLog{})
	log.SetFlags(0)
}

// idle counts the intervals since the client last took a call from its channel.
var idle atomic.Int32

type verboseLog struct{}

func (verboseLog) Write(text []byte) (int, error) {
	switch line := string(text); {
	case strings.Contains(line, "nothing to send"):
		idle.Add(1)
	case strings.Contains(line, "buffer ("):
		idle.Store(0)
	case strings.Contains(line, "error "), strings.Contains(line, "response 4"), strings.Contains(line, "response 5"):
		return calls.ErrorLog{}.Write(text)
	}
	return len(text), nil
}

// beforeClose waits until the queue is empty: Close in this version drops queued calls.
func beforeClose() {
	idle.Store(0)
	for end := time.Now().Add(calls.SettledWithin); idle.Load() < 3 && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
	}
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
