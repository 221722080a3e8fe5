// Command handler makes calls in the handlers of a web server, from many goroutines.
package main

import (
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"sync"

	"github.com/segmentio/analytics-go"
)

func main() {
	client := analytics.New(os.Getenv("WRITE_KEY"))
	client.Endpoint = os.Getenv("ENDPOINT")
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := client.Track(&analytics.Track{UserId: r.URL.Query().Get("user"), Event: "Visited"})
		if err != nil {
			log.Fatal(err)
		}
	}))
	var visits sync.WaitGroup
	for i := 0; i < 50; i++ {
		visits.Add(1)
		go visit(shop.URL+"?user=u"+strconv.Itoa(i), &visits)
	}
	visits.Wait()
	shop.Close()
	if err := client.Close(); err != nil {
		log.Fatal(err)
	}
}

func visit(url string, visits *sync.WaitGroup) {
	defer visits.Done()
	response, err := http.Get(url)
	if err != nil {
		log.Fatal(err)
	}
	response.Body.Close()
}
