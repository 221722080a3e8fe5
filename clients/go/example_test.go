package analytics_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	analytics "hookline.dev/clients/go"
)

// service simulates Hookline in the examples: it accepts every call.
func service() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"success":true}`)
	}))
}

func Example() {
	events := service()
	defer events.Close()

	client := analytics.New("wk_of_a_source")
	client.Endpoint = events.URL

	err := client.Track(&analytics.Track{
		UserId:     "u1",
		Event:      "Order Completed",
		Properties: map[string]interface{}{"revenue": 39.95},
	})
	fmt.Println(err, client.Close())
	// Output: <nil> <nil>
}

// A function that is frozen between requests flushes before it responds.
func ExampleClient_Flush() {
	events := service()
	defer events.Close()
	client := analytics.New("wk_of_a_source")
	client.Endpoint = events.URL
	_ = client.Identify(&analytics.Identify{UserId: "u1", Traits: map[string]interface{}{"plan": "pro"}})

	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	result, err := client.Flush(ctx)
	fmt.Printf("%+v %v\n", result, err)
	// Output: {Delivered:1 Failed:0 Pending:0} <nil>
}

// A program that imports history waits for room in the queue, and loses no call.
func ExampleClient_Enqueue() {
	events := service()
	defer events.Close()
	client := analytics.New("wk_of_a_source")
	client.Endpoint = events.URL
	client.MaxQueueMessages = 10

	for day := 1; day <= 28; day++ {
		err := client.Enqueue(context.Background(), &analytics.Track{
			UserId: "u1",
			Event:  "Visited",
			Message: analytics.Message{
				Timestamp: fmt.Sprintf("2014-02-%02dT12:00:00Z", day),
				// If the import runs again, no call is counted twice.
				MessageId: fmt.Sprintf("visit-%d", day),
			},
		})
		if err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(client.Close(), client.Stats().Delivered)
	// Output: <nil> 28
}

// OnError receives the number of calls that did not arrive, and the reason.
func ExampleClient_onError() {
	events := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, `{"success":false,"code":"unknown_write_key"}`)
	}))
	defer events.Close()
	client := analytics.New("wk_of_another_service")
	client.Endpoint = events.URL
	client.OnError = func(err error) {
		var failed *analytics.DeliveryError
		if errors.As(err, &failed) {
			fmt.Println(failed.Messages, failed.Status, failed.Code)
		}
	}
	fmt.Println(client.Track(&analytics.Track{UserId: "u1"}))
	_ = client.Track(&analytics.Track{UserId: "u1", Event: "Order Completed"})
	_ = client.Close()
	// Output:
	// analytics: event_not_defined: A call of type track requires a non-empty Event.
	// 1 401 unknown_write_key
}
