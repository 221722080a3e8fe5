// Command history imports historical calls with timestamps.
package main

import (
	"log"
	"os"

	"github.com/segmentio/analytics-go"
)

func main() {
	client := analytics.New(os.Getenv("WRITE_KEY"))
	client.Endpoint = os.Getenv("ENDPOINT")
	past := analytics.Message{Timestamp: "2014-12-12T19:04:59.123Z"}

	check(client.Identify(&analytics.Identify{UserId: "u1", Message: past}))
	check(client.Track(&analytics.Track{UserId: "u1", Event: "Past", Message: past}))
	page := &analytics.Page{UserId: "u1"}
	page.Timestamp = "2014-12-12T20:04:59.123+01:00"
	check(client.Page(page))
	check(client.Group(&analytics.Group{UserId: "u1", GroupId: "g1", Message: past}))
	check(client.Alias(&analytics.Alias{UserId: "u1", PreviousId: "u0", Message: past}))

	check(client.Close())
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
