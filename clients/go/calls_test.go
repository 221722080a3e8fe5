package analytics

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
)

type m = map[string]interface{}

var ownLibrary = m{"library": m{"name": "hookline-go", "version": Version}}

func TestEachCallArrivesWithItsFields(t *testing.T) {
	e := open(t, statuses(200))
	page := &Page{UserId: "u1", Name: "Docs", Category: "Help", Traits: m{"url": "/a?b=1&c=<d>"}}
	page.Timestamp = "2014-12-12T19:04:59.123Z"
	calls := []error{
		e.Identify(&Identify{UserId: "u1", Traits: m{"plan": "pro"}, Context: m{"ip": "203.0.113.7"}}),
		e.Track(&Track{AnonymousId: "a1", Event: "Ordered", Properties: m{"revenue": 39.95}, Integrations: m{"All": false}}),
		e.Page(page),
		e.Screen(&Screen{UserId: "u1", Name: "Home", Category: "App", Properties: m{"n": 1}}),
		e.Group(&Group{UserId: "u1", GroupId: "g1", Traits: m{"name": "Acme"}}),
		e.Alias(&Alias{UserId: "u1", PreviousId: "a1", Integrations: m{"All": true}, Message: Message{MessageId: "m1"}}),
	}
	for _, err := range calls {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	got := e.requests[0].Batch
	for i := range got {
		if got[i].MessageId != "m1" && len(got[i].MessageId) != 36 {
			t.Errorf("messageId %q", got[i].MessageId)
		}
		got[i].MessageId = ""
	}
	now := "2026-11-21T12:00:00.000Z"
	want := []arrived{
		{Type: "identify", UserId: "u1", Traits: m{"plan": "pro"}, Timestamp: now,
			Context: m{"ip": "203.0.113.7", "library": ownLibrary["library"]}},
		{Type: "track", AnonymousId: "a1", Event: "Ordered", Properties: m{"revenue": 39.95}, Timestamp: now,
			Integrations: m{"All": false}, Context: ownLibrary},
		{Type: "page", UserId: "u1", Name: "Docs", Category: "Help", Properties: m{"url": "/a?b=1&c=<d>"},
			Timestamp: "2014-12-12T19:04:59.123Z", Context: ownLibrary},
		{Type: "screen", UserId: "u1", Name: "Home", Category: "App", Properties: m{"n": 1.0}, Timestamp: now, Context: ownLibrary},
		{Type: "group", UserId: "u1", GroupId: "g1", Traits: m{"name": "Acme"}, Timestamp: now, Context: ownLibrary},
		{Type: "alias", UserId: "u1", PreviousId: "a1", Integrations: m{"All": true}, Timestamp: now, Context: ownLibrary},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestARequestHasTheWriteKeyAndTheTimeOfSending(t *testing.T) {
	e := open(t, statuses(200))
	e.Endpoint += "/base/?a=b#c"
	_ = e.Track(&Track{UserId: "u1", Event: "E"})
	e.clock.advance(time.Second)
	_ = e.Close()
	got := e.requests[0]
	if got.path != "/base/v1/batch" || got.SentAt != "2026-11-21T12:00:01.000Z" {
		t.Errorf("path %s, sentAt %s", got.path, got.SentAt)
	}
	for name, want := range map[string]string{
		"Authorization": "Basic d2tfdGVzdDo=", "Content-Type": "application/json", "User-Agent": "hookline-go/" + Version,
		"Content-Encoding": "",
	} {
		if value := got.header.Get(name); value != want {
			t.Errorf("%s: %q, want %q", name, value, want)
		}
	}
}

func TestLaterChangesToACallHaveNoEffect(t *testing.T) {
	e := open(t, statuses(200))
	cart := m{"items": 1}
	call := &Track{UserId: "u1", Event: "E", Properties: m{"cart": cart}, Context: m{"ip": "203.0.113.7"}}
	before := *call
	_ = e.Track(call)
	if !reflect.DeepEqual(*call, before) {
		t.Errorf("the client changed the call: %+v", call)
	}
	cart["items"] = 2
	_ = e.Track(call)
	_ = e.Close()
	first, second := e.requests[0].Batch[0], e.requests[0].Batch[1]
	if got := first.Properties["cart"]; !reflect.DeepEqual(got, m{"items": 1.0}) {
		t.Errorf("arrived: %v", got)
	}
	if first.MessageId == second.MessageId {
		t.Error("two calls have the same MessageId")
	}
}

func TestAnInvalidCallReturnsAnErrorWithItsCode(t *testing.T) {
	deep := interface{}(1)
	for i := 0; i < maxNestingLevels; i++ {
		deep = []interface{}{deep}
	}
	loop := m{}
	loop["self"] = loop
	track := func(change func(*Track)) *Track {
		call := &Track{UserId: "u1", Event: "E"}
		change(call)
		return call
	}
	properties := func(value interface{}) *Track {
		return track(func(c *Track) { c.Properties = m{"value": value} })
	}
	for name, each := range map[string]struct {
		call Call
		code string
	}{
		"no id":                {&Identify{}, "no_user_anon_id"},
		"page without id":      {&Page{Name: "Home"}, "no_user_anon_id"},
		"screen without id":    {&Screen{Name: "Home"}, "no_user_anon_id"},
		"no event":             {&Track{UserId: "u1"}, "event_not_defined"},
		"no group":             {&Group{UserId: "u1"}, "id_required"},
		"group without user":   {&Group{GroupId: "g1"}, "no_user_anon_id"},
		"no previous id":       {&Alias{UserId: "u1"}, "id_required"},
		"alias without id":     {&Alias{PreviousId: "u1"}, "id_required"},
		"invalid UTF-8":        {track(func(c *Track) { c.UserId = "\xf0\x9f" }), "id_not_unicode"},
		"a long messageId":     {track(func(c *Track) { c.MessageId = strings.Repeat("😀", 51) }), "message_id_too_long"},
		"an invalid timestamp": {track(func(c *Track) { c.Timestamp = "yesterday" }), "timestamp_invalid"},
		"NaN":                  {properties(math.NaN()), "number_not_finite"},
		"infinity":             {properties(math.Inf(1)), "number_not_finite"},
		"a number of 1e999":    {properties(json.Number("1e999")), "number_not_finite"},
		"JSON with 1e999":      {properties(json.RawMessage(`[{"a":-1e999}]`)), "number_not_finite"},
		"400 digits":           {properties(json.Number(strings.Repeat("9", 400))), "number_not_finite"},
		"an invalid number":    {properties(json.Number("x")), "invalid_json"},
		"invalid JSON":         {properties(json.RawMessage(`{oops`)), "invalid_json"},
		"JSON not in UTF-8":    {properties(json.RawMessage("\"\xff\"")), "invalid_json"},
		"text not in UTF-8":    {properties(m{"a": []interface{}{"b\xff"}}), "invalid_json"},
		"a key not in UTF-8":   {properties(map[string]int{"\xff": 1}), "invalid_json"},
		"a field not in UTF-8": {properties(&struct{ Text string }{"\xff"}), "invalid_json"},
		"an event not UTF-8":   {track(func(c *Track) { c.Event = "\xff" }), "invalid_json"},
		"a channel":            {properties(make(chan int)), "invalid_json"},
		"a cycle":              {properties(loop), "invalid_json"},
		"66 levels":            {properties(deep), "nested_too_deep"},
		"over 32 KiB":          {properties(strings.Repeat("x", 32_768)), "message_too_large"},
		"a nil pointer":        {(*Track)(nil), "not_an_object"},
		"a nil identify":       {(*Identify)(nil), "not_an_object"},
		"a nil page":           {(*Page)(nil), "not_an_object"},
		"a nil screen":         {(*Screen)(nil), "not_an_object"},
		"a nil group":          {(*Group)(nil), "not_an_object"},
		"a nil alias":          {(*Alias)(nil), "not_an_object"},
		"nil":                  {nil, "not_an_object"},
		"a NUL in an id":       {track(func(c *Track) { c.AnonymousId = "a\x00" }), "id_control_character"},
		"a newline in an id":   {track(func(c *Track) { c.MessageId = "m\n" }), "id_control_character"},
		"a C1 control":         {track(func(c *Track) { c.UserId = "u\u0085" }), "id_control_character"},
	} {
		t.Run(name, func(t *testing.T) {
			e := open(t, statuses(200))
			err := e.Enqueue(context.Background(), each.call)
			var invalid *ValidationError
			if !errors.As(err, &invalid) || invalid.Code != each.code || !strings.Contains(err.Error(), each.code) {
				t.Fatalf("%v, want %s", err, each.code)
			}
			if e.Close() != nil || len(e.requests) > 0 || e.Stats() != (Stats{}) {
				t.Error("the call was queued")
			}
		})
	}
}

func TestValuesSimilarToLostOnesAreSent(t *testing.T) {
	e := open(t, statuses(200))
	properties := m{
		"replacement": "\ufffd", "escape": `\ufffd`, "raw": json.RawMessage(`"\ufffd"`), "text": "1e999",
		"number": json.Number("-1.5E+300"), "largest": math.MaxFloat64, "bytes": []byte("\xff"), "nil": (*Track)(nil),
	}
	if err := e.Track(&Track{UserId: "u1", Event: "E", Properties: properties}); err != nil {
		t.Fatal(err)
	}
	_ = e.Close()
	want := m{
		"replacement": "\ufffd", "escape": `\ufffd`, "raw": "\ufffd", "text": "1e999",
		"number": -1.5e300, "largest": math.MaxFloat64, "bytes": "/w==", "nil": nil,
	}
	if got := e.requests[0].Batch[0].Properties; !reflect.DeepEqual(got, want) {
		t.Errorf("arrived: %v", got)
	}
}

func TestTheLargestCallAndTheDeepestOneAreSent(t *testing.T) {
	e := open(t, statuses(200))
	call := &Track{UserId: "u1", Event: "E", Message: Message{MessageId: "m1"}, Properties: m{"text": ""}}
	_, empty, err := e.prepare(call)
	if err != nil {
		t.Fatal(err)
	}
	call.Properties["text"] = strings.Repeat("<", 32_768-len(empty.json))
	deep := interface{}(1)
	for i := 0; i < maxNestingLevels-2; i++ {
		deep = []interface{}{deep}
	}
	for _, err := range []error{e.Track(call), e.Track(&Track{UserId: "u1", Event: "E", Properties: m{"deep": deep}}), e.Close()} {
		if err != nil {
			t.Error(err)
		}
	}
	call.Properties["text"] = call.Properties["text"].(string) + "x"
	if _, _, err = e.prepare(call); err == nil {
		t.Error("a call of 32,769 bytes was accepted")
	}
}

func TestAPanicInMarshalJSONPropagatesAndAffectsNoOtherCall(t *testing.T) {
	e := open(t, statuses(200))
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		_ = e.Track(&Track{UserId: "u1", Event: "bad", Properties: m{"value": panicking{}}})
	}()
	_ = e.Track(&Track{UserId: "u1", Event: "good"})
	if err := e.Close(); err != nil || !reflect.DeepEqual(e.events(), []string{"good"}) {
		t.Errorf("%v, arrived: %v", err, e.events())
	}
}

type panicking struct{}

func (panicking) MarshalJSON() ([]byte, error) { panic("a bug in the program") }

func FuzzEncodedCallsAreTheJSONOfTheCall(f *testing.F) {
	f.Add("u1", "Order Completed", "key", "value <&> \u2028 😀", `{"a":[1,"{[",null]}`)
	f.Add("\xff", "", "\x00", "\\\"", "[[[[")
	f.Fuzz(func(t *testing.T, id, event, key, value, document string) {
		var parsed interface{}
		_ = json.Unmarshal([]byte(document), &parsed)
		call := &Track{UserId: id, Event: event, Properties: m{key: value, "document": parsed}, Context: m{key: value}}
		_, got, err := New("wk_test").prepare(call)
		if err != nil {
			var invalid *ValidationError
			if !errors.As(err, &invalid) {
				t.Fatal(err)
			}
			return
		}
		var back arrived
		if err := json.Unmarshal(got.json, &back); err != nil {
			t.Fatalf("%v: %s", err, got.json)
		}
		if back.UserId != id || back.MessageId != got.messageID || back.Type != "track" || back.Event != event {
			t.Errorf("%+v", back)
		}
		if key != "document" && !reflect.DeepEqual(back.Properties["document"], parsed) {
			t.Errorf("%v, want %v", back.Properties["document"], parsed)
		}
	})
}

func FuzzLevelsAreCountedAsAParserCountsThem(f *testing.F) {
	f.Add(`{"a":[{"b":"[{\"["}],"c\\":{}}`, 2)
	f.Add(`[[[]]]`, 3)
	// If two members have the same name, a map has only the last one.
	f.Add(`{"":[{"":""}],"":0}`, 2)
	f.Fuzz(func(t *testing.T, text string, levels int) {
		if levels < 0 || !json.Valid([]byte(text)) {
			return
		}
		if got, want := isDeeperThan([]byte(text), levels), depth(text) > levels; got != want {
			t.Errorf("%q deeper than %d: %v", text, levels, got)
		}
	})
}

// depth counts the levels of valid JSON from its tokens.
func depth(text string) int {
	decoder := json.NewDecoder(strings.NewReader(text))
	level, deepest := 0, 0
	for {
		token, err := decoder.Token()
		if err != nil {
			return deepest
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			level++
			deepest = max(deepest, level)
		case json.Delim('}'), json.Delim(']'):
			level--
		}
	}
}
