// Makes the calls in a file with github.com/segmentio/analytics-go/v3.
package main

import (
	"net"
	"time"

	"github.com/segmentio/analytics-go/v3"
	"github.com/segmentio/backo-go"
	"hookline.test/clients/calls"
)

func main() {
	settled := &calls.Settled{}
	client, err := analytics.NewWithConfig(calls.WriteKey, analytics.Config{
		Endpoint:  calls.Endpoint,
		Interval:  calls.Interval,
		BatchSize: calls.Batch,
		Callback:  callback{settled},
		// Shorter delays than the default: the tenth attempt is after 21 s instead of 33 s.
		RetryAfter: backo.NewBacko(100*time.Millisecond, 2, 0, 5*time.Second).Duration,
	})
	if err != nil {
		panic(err)
	}
	calls.Make(func(call calls.Call) error { return settled.Enqueued(client.Enqueue(messageOf(call))) })
	settled.Wait()
	if err := client.Close(); err != nil {
		calls.Report(err.Error())
	}
	calls.Done()
}

type callback struct{ settled *calls.Settled }

func (c callback) Success(analytics.Message)            { c.settled.Success() }
func (c callback) Failure(_ analytics.Message, e error) { c.settled.Failure(e) }

func messageOf(call calls.Call) analytics.Message {
	context, integrations := contextOf(call.Context), analytics.Integrations(call.Integrations)
	switch call.Type {
	case "identify":
		return analytics.Identify{UserId: call.UserID, AnonymousId: call.AnonymousID, Traits: call.Traits,
			Context: context, Integrations: integrations, Timestamp: call.Timestamp}
	case "track":
		return analytics.Track{UserId: call.UserID, AnonymousId: call.AnonymousID, Event: call.Event, Properties: call.Properties,
			Context: context, Integrations: integrations, Timestamp: call.Timestamp}
	case "page":
		return analytics.Page{UserId: call.UserID, AnonymousId: call.AnonymousID, Name: call.Name, Properties: call.Properties,
			Context: context, Integrations: integrations, Timestamp: call.Timestamp}
	case "screen":
		return analytics.Screen{UserId: call.UserID, AnonymousId: call.AnonymousID, Name: call.Name, Properties: call.Properties,
			Context: context, Integrations: integrations, Timestamp: call.Timestamp}
	case "group":
		return analytics.Group{UserId: call.UserID, AnonymousId: call.AnonymousID, GroupId: call.GroupID, Traits: call.Traits,
			Context: context, Integrations: integrations, Timestamp: call.Timestamp}
	default:
		return analytics.Alias{UserId: call.UserID, PreviousId: call.PreviousID,
			Context: context, Integrations: integrations, Timestamp: call.Timestamp}
	}
}

// contextOf sets the typed fields of the context, and passes the others as Extra.
func contextOf(fields map[string]any) *analytics.Context {
	if fields == nil {
		return nil
	}
	context := &analytics.Context{Extra: map[string]any{}}
	for key, value := range fields {
		switch key {
		case "ip":
			context.IP = net.ParseIP(value.(string))
		case "locale":
			context.Locale = value.(string)
		default:
			context.Extra[key] = value
		}
	}
	return context
}
