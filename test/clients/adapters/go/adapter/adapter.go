// Package adapter drives a Go library for the suite in test/clients. It reads commands from standard input, one JSON object per
// line, and writes a line for each result and for each error that the library reports.
package adapter

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"sync"
	"time"
)

// Options of a client, set by the suite.
type Options struct {
	Endpoint     string
	FlushAt      int
	FlushAfterMs int64
	MaxRetries   int
	TimeoutMs    int64
}

// FlushAfter returns FlushAfterMs as a duration.
func (o Options) FlushAfter() time.Duration { return time.Duration(o.FlushAfterMs) * time.Millisecond }

// Timeout returns TimeoutMs as a duration.
func (o Options) Timeout() time.Duration { return time.Duration(o.TimeoutMs) * time.Millisecond }

// Result of a flush, if the library reports it.
type Result struct {
	Delivered int `json:"delivered"`
	Failed    int `json:"failed"`
}

// Client is a client of the library.
type Client interface {
	Track(event string, properties map[string]interface{}) error
	Flush() (Result, error)
	// Close waits for at most timeout, if the library supports that. 0 means the library's default.
	Close(timeout time.Duration) error
}

// ErrNoFlush is returned by Flush if the library has no flush.
var ErrNoFlush = errors.New("the library has no flush")

// Open creates a client. It calls report for each error that the library reports, in any way.
type Open func(options Options, report func()) Client

// Run is the main function of each program: main OPTIONS, or main idle|flood ENDPOINT.
func Run(open Open) {
	if len(os.Args) == 3 {
		measure(open, os.Args[1], os.Args[2])
		return
	}
	var options Options
	if err := json.Unmarshal([]byte(os.Args[1]), &options); err != nil {
		panic(err)
	}
	output := &lines{}
	client := open(options, func() { output.write(map[string]interface{}{"reported": true}) })
	commands := bufio.NewScanner(os.Stdin)
	commands.Buffer(nil, 1<<20)
	for commands.Scan() {
		var c command
		if err := json.Unmarshal(commands.Bytes(), &c); err != nil {
			panic(err)
		}
		c.do(client, output)
	}
}

type lines struct{ sync.Mutex }

func (l *lines) write(line interface{}) {
	text, err := json.Marshal(line)
	if err != nil {
		panic(err)
	}
	l.Lock()
	defer l.Unlock()
	fmt.Println(string(text))
}

type command struct {
	ID         int                    `json:"id"`
	Method     string                 `json:"method"`
	Event      string                 `json:"event"`
	Properties map[string]interface{} `json:"properties"`
	TimeoutMs  int64                  `json:"timeoutMs"`
}

// do runs a command. Calls run in order; other commands do not delay the next one.
func (c command) do(client Client, output *lines) {
	run := func() {
		result, err := c.run(client)
		reply := map[string]interface{}{"id": c.ID, "result": result}
		if err != nil {
			reply["error"] = err.Error()
		}
		output.write(reply)
	}
	if c.Method == "flush" || c.Method == "close" {
		go run()
	} else {
		run()
	}
}

func (c command) run(client Client) (result Result, err error) {
	defer func() {
		if thrown := recover(); thrown != nil {
			err = fmt.Errorf("panic: %v", thrown)
		}
	}()
	switch c.Method {
	case "track":
		return result, client.Track(c.Event, decoded(c.Properties))
	case "trackThenChange":
		cart := map[string]interface{}{"items": 1}
		err = client.Track(c.Event, map[string]interface{}{"cart": cart})
		cart["items"] = 2
		return result, err
	case "flush":
		return client.Flush()
	case "close":
		return result, client.Close(time.Duration(c.TimeoutMs) * time.Millisecond)
	}
	return result, fmt.Errorf("no such method: %s", c.Method)
}

// decoded replaces placeholders with values that JSON cannot represent.
func decoded(properties map[string]interface{}) map[string]interface{} {
	for key, value := range properties {
		switch value {
		case "<NaN>":
			properties[key] = math.NaN()
		case "<not JSON>":
			properties[key] = make(chan int)
		}
	}
	return properties
}
