// Command alias-integrations selects the destinations of an alias call, as documented for every call.
package main

import (
	"log"
	"os"

	"github.com/segmentio/analytics-go"
)

func main() {
	client := analytics.New(os.Getenv("WRITE_KEY"))
	client.Endpoint = os.Getenv("ENDPOINT")

	err := client.Alias(&analytics.Alias{
		PreviousId:   "visitor-1",
		UserId:       "u1",
		Integrations: map[string]interface{}{"All": false, "Webhooks": true},
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := client.Close(); err != nil {
		log.Fatal(err)
	}
}
