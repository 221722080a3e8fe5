// Command batches configures the batch size and the interval that trigger a flush.
package main

import (
	"log"
	"os"
	"strconv"
	"time"

	"github.com/segmentio/analytics-go"
)

func main() {
	client := analytics.New(os.Getenv("WRITE_KEY"))
	client.Endpoint = os.Getenv("ENDPOINT")
	client.FlushAt = 2
	client.FlushAfter = 500 * time.Millisecond

	for i := 1; i <= 5; i++ {
		if err := client.Track(&analytics.Track{UserId: "u" + strconv.Itoa(i), Event: "Batched"}); err != nil {
			log.Fatal(err)
		}
	}
	if err := client.Close(); err != nil {
		log.Fatal(err)
	}
}
