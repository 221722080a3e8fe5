// Command integrations selects the destinations of calls.
package main

import (
	"log"
	"os"

	"github.com/segmentio/analytics-go"
)

type choice = map[string]interface{}

func main() {
	client := analytics.New(os.Getenv("WRITE_KEY"))
	client.Endpoint = os.Getenv("ENDPOINT")

	check(client.Identify(&analytics.Identify{UserId: "only-webhooks", Integrations: choice{"All": false, "Webhooks": true}}))
	check(client.Track(&analytics.Track{UserId: "none", Event: "E", Integrations: choice{"All": false}}))
	check(client.Track(&analytics.Track{UserId: "not-webhooks", Event: "E", Integrations: choice{"Webhooks": false}}))
	check(client.Track(&analytics.Track{UserId: "another-case", Event: "E", Integrations: choice{"All": false, "webhooks": true}}))
	check(client.Page(&analytics.Page{UserId: "all", Integrations: choice{"All": true}}))
	check(client.Group(&analytics.Group{UserId: "not-another", GroupId: "g1", Integrations: choice{"Another": false}}))

	check(client.Close())
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
