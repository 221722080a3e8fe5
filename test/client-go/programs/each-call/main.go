// Command each-call sends each call in a separate request, as documented for development.
package main

import (
	"log"
	"os"

	"github.com/segmentio/analytics-go"
)

func main() {
	client := analytics.New(os.Getenv("WRITE_KEY"))
	client.Endpoint = os.Getenv("ENDPOINT")
	client.Size = 1

	for _, user := range []string{"u1", "u2", "u3"} {
		if err := client.Track(&analytics.Track{UserId: user, Event: "One request"}); err != nil {
			log.Fatal(err)
		}
	}
	if err := client.Close(); err != nil {
		log.Fatal(err)
	}
}
