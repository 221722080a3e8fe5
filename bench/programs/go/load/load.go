// Package load generates the calls for the benchmarks of Go libraries. For each line of standard input, which is a number of
// seconds, it prints the figure named by its argument: rate or memory.
package load

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"time"
)

// Call is a typical call from an application.
type Call struct {
	UserID     string
	Event      string
	Properties map[string]interface{}
}

// Client is a new client of one of the libraries, with its default settings.
type Client interface {
	Track(call Call)
	Close()
}

// calls is within the default queue limit of each library, and a multiple of their batch sizes.
const calls = 50_000

// Run is the whole program. batchSize is the number of calls that the library serialises together on sending, or 0 if it
// serialises each call when it is made.
func Run(batchSize int, open func(server *Server) Client) {
	measure := callsPerSecond
	if os.Args[1] == "memory" {
		measure = jsonPerMemory
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		seconds, err := strconv.ParseFloat(lines.Text(), 64)
		if err != nil {
			panic(err)
		}
		fmt.Println(measure(batchSize, open, time.Duration(seconds*float64(time.Second))))
	}
}

// callsPerSecond counts a call when it is serialised, by the caller or later.
func callsPerSecond(batchSize int, open func(*Server) Client, atLeast time.Duration) float64 {
	made, spent := 0, time.Duration(0)
	for spent < atLeast {
		server := newServer()
		client := open(server)
		started := time.Now()
		enqueue(client, server, batchSize)
		spent += time.Since(started)
		made += calls
		server.release()
		client.Close()
	}
	return float64(made) / spent.Seconds()
}

// kept holds the measured clients, because freeing one during the next measurement would change its result.
var kept []Client

// jsonPerMemory returns the bytes of JSON per byte of memory for a client's queued calls.
func jsonPerMemory(batchSize int, open func(*Server) Client, _ time.Duration) float64 {
	server := newServer()
	client := open(server)
	kept = append(kept, client)
	before := usedBytes()
	enqueue(client, server, batchSize)
	grown := usedBytes() - before
	text, err := json.Marshal(messageOf(calls / 2))
	if err != nil {
		panic(err)
	}
	return float64(calls*len(text)) / grown
}

func enqueue(client Client, server *Server, batchSize int) {
	for i := 0; i < calls; i++ {
		client.Track(callOf(i))
	}
	if batchSize > 0 {
		server.waitFor(calls / batchSize)
	}
}

func callOf(index int) Call {
	return Call{
		UserID: "user-" + strconv.Itoa(index), Event: "Order Completed",
		Properties: map[string]interface{}{
			"revenue": 39.95, "currency": "EUR", "orderId": "o-" + strconv.Itoa(index), "items": 3,
		},
	}
}

// messageOf returns the call with the fields that every library adds before sending.
func messageOf(index int) map[string]interface{} {
	call := callOf(index)
	return map[string]interface{}{
		"userId": call.UserID, "event": call.Event, "properties": call.Properties, "type": "track",
		"messageId": "b4d1f0e2-6a3c-4d8b-9d0e-1f2a3b4c5d6e", "timestamp": "2026-01-15T12:00:00.000Z",
		"context": map[string]interface{}{"library": map[string]string{"name": "hookline-go", "version": "0.1.0"}},
	}
}

// usedBytes returns the memory in use by the heap and the stacks.
func usedBytes() float64 {
	runtime.GC()
	// Objects with a finalizer are freed by the second run.
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return float64(stats.HeapAlloc + stats.StackInuse)
}
