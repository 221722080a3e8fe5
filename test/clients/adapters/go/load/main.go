// Command load makes COUNT calls with the client library in clients/go: load WRITE_KEY ENDPOINT COUNT. It prints its
// stats every 20 ms and at the end, and its errors, each as a line of JSON.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"time"

	analytics "hookline.dev/clients/go"
)

const every = 20 * time.Millisecond

func main() {
	count, err := strconv.Atoi(os.Args[3])
	if err != nil {
		panic(err)
	}
	client := analytics.New(os.Args[1])
	client.Endpoint, client.Size = os.Args[2], 100
	client.MaxQueueMessages = 1_000
	// More than the default, because a killed service is down for a few seconds.
	client.MaxRetries = 100
	client.OnError = func(err error) { print(map[string]string{"error": err.Error()}) }
	go func() {
		for range time.Tick(every) {
			print(client.Stats())
		}
	}()
	for i := 0; i < count; i++ {
		call := &analytics.Track{UserId: "u" + strconv.Itoa(i), Event: "E", Message: analytics.Message{MessageId: "m" + strconv.Itoa(i)}}
		if err := client.Enqueue(context.Background(), call); err != nil {
			print(map[string]string{"error": err.Error()})
		}
	}
	if err := client.CloseContext(context.Background()); err != nil {
		print(map[string]string{"error": err.Error()})
	}
	print(client.Stats())
}

func print(line interface{}) {
	text, err := json.Marshal(line)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(text))
}
