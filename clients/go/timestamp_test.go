package analytics

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"testing"
	"time"
)

// The service, `hookline import` and the TypeScript client are tested with the same table.
func TestTheTimestampsThatTheServiceReadsAreSentAndOthersReturnTimestampInvalid(t *testing.T) {
	text, err := os.ReadFile("testdata/timestamps.json")
	if err != nil {
		t.Fatal(err)
	}
	var forms struct {
		Read    [][2]string
		Refused []string
	}
	if err := json.Unmarshal(text, &forms); err != nil {
		t.Fatal(err)
	}
	if len(forms.Read) < 20 || len(forms.Refused) < 20 {
		t.Fatal("the table is incomplete")
	}
	e := open(t, statuses(200))
	enqueue := func(timestamp string) error {
		return e.Enqueue(context.Background(), &Identify{UserId: "u1", Message: Message{Timestamp: timestamp}})
	}
	for _, form := range forms.Read {
		if err := enqueue(form[0]); err != nil {
			t.Errorf("%q: %v", form[0], err)
		}
	}
	for _, timestamp := range forms.Refused {
		var invalid *ValidationError
		if err := enqueue(timestamp); !errors.As(err, &invalid) || invalid.Code != "timestamp_invalid" {
			t.Errorf("%q: %v", timestamp, err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	var sent []string
	for _, request := range e.requests {
		for _, message := range request.Batch {
			sent = append(sent, message.Timestamp)
		}
	}
	if len(sent) != len(forms.Read) {
		t.Fatalf("%d calls were sent, want %d", len(sent), len(forms.Read))
	}
	for i, form := range forms.Read {
		if sent[i] != form[0] {
			t.Errorf("%q was sent as %q", form[0], sent[i])
		}
	}
}

func TestTimestampsInTheFormatsOfPackageTimeAreReadable(t *testing.T) {
	zones := []*time.Location{time.UTC, time.FixedZone("CEST", 7200), time.FixedZone("", -12600)}
	for _, zone := range zones {
		at := time.Now().In(zone)
		for _, text := range []string{at.String(), at.Round(0).String(), at.Format(time.RFC3339Nano), at.Format(time.DateOnly)} {
			if !isReadable(text) {
				t.Errorf("%q is not readable", text)
			}
		}
		for _, text := range []string{at.Format(time.RFC1123), at.Format(time.UnixDate), at.Format(time.Kitchen)} {
			if isReadable(text) {
				t.Errorf("%q is readable", text)
			}
		}
	}
}
