// Command calls makes a call of each type, with every documented field.
package main

import (
	"log"
	"os"

	"github.com/segmentio/analytics-go"
)

func main() {
	client := analytics.New(os.Getenv("WRITE_KEY"))
	client.Endpoint = os.Getenv("ENDPOINT")

	check(client.Identify(&analytics.Identify{
		UserId: "019mr8mf4r",
		Traits: map[string]interface{}{"name": "Michael Bolton", "email": "mbolton@example.com", "plan": "Enterprise", "friends": 42},
	}))
	check(client.Track(&analytics.Track{
		Event:      "Signed Up",
		UserId:     "f4ca124298",
		Properties: map[string]interface{}{"plan": "Enterprise"},
	}))
	check(client.Track(&analytics.Track{
		Event:       "Article Bookmarked",
		AnonymousId: "visitor-1",
	}))
	check(client.Page(&analytics.Page{
		UserId:   "f4ca124298",
		Category: "Docs",
		Name:     "Go library",
		Traits: map[string]interface{}{
			"url": "https://shop.example/docs", "title": "Docs", "referrer": "https://search.example", "path": "/docs",
		},
		Context: map[string]interface{}{"ip": "203.0.113.7"},
	}))
	check(client.Page(&analytics.Page{AnonymousId: "visitor-1"}))
	check(client.Group(&analytics.Group{
		UserId:  "019mr8mf4r",
		GroupId: "56",
		Traits:  map[string]interface{}{"name": "Initech", "description": "Accounting Software"},
	}))
	check(client.Alias(&analytics.Alias{
		PreviousId: "visitor-1",
		UserId:     "019mr8mf4r",
	}))

	check(client.Close())
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
