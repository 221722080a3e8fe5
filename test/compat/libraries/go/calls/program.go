package calls

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// SettledWithin is how long a program waits for calls in progress.
const SettledWithin = 30 * time.Second

// Interval is the flush interval of a client.
const Interval = 500 * time.Millisecond

var (
	// Endpoint is the URL of the service, without a path.
	Endpoint = os.Getenv("COMPAT_ENDPOINT")
	WriteKey = os.Getenv("COMPAT_WRITE_KEY")
	// Batch is the maximum number of calls in a request.
	Batch, _ = strconv.Atoi(os.Getenv("COMPAT_BATCH"))
	// Gzip is whether the library compresses its requests.
	Gzip = os.Getenv("COMPAT_GZIP") == "1"
)

// Make makes each call in the file, except calls of types that the library does not support.
func Make(call func(Call) error) {
	file, err := os.ReadFile(os.Getenv("COMPAT_CALLS"))
	if err != nil {
		panic(err)
	}
	pause, _ := strconv.Atoi(os.Getenv("COMPAT_PAUSE_MS"))
	for _, line := range bytes.Split(bytes.TrimSpace(file), []byte("\n")) {
		each, err := parse(line)
		if err != nil {
			panic(err)
		}
		makeOne(each, call)
		time.Sleep(time.Duration(pause) * time.Millisecond)
	}
}

// Methods are the types of calls that the library supports.
var Methods = map[string]bool{"identify": true, "track": true, "page": true, "screen": true, "group": true, "alias": true}

func makeOne(each Call, call func(Call) error) {
	if !Methods[each.Type] {
		say(map[string]any{"lacks": each.Type, "id": each.ID})
		return
	}
	say(map[string]any{"made": each.ID})
	if err := call(each); err != nil {
		say(map[string]any{"error": err.Error(), "id": each.ID})
	}
}

// Done reports that the program has finished.
func Done() {
	say(map[string]any{"done": true})
}

// Report prints an error reported by the library.
func Report(text string) {
	say(map[string]any{"error": text})
}

// ErrorLog reports each line that a library logs as an error.
type ErrorLog struct{}

func (ErrorLog) Write(text []byte) (int, error) {
	Report(strings.TrimSpace(string(text)))
	return len(text), nil
}

var output sync.Mutex

func say(line map[string]any) {
	text, _ := json.Marshal(line)
	output.Lock()
	defer output.Unlock()
	fmt.Println(string(text))
}
