// Package calls reads the calls that a program makes, and prints the results, as described in test/compat/README.md.
package calls

import (
	"bytes"
	"encoding/json"
	"time"
)

// Call is one line of the file.
type Call struct {
	ID           string         `json:"id"`
	Type         string         `json:"type"`
	UserID       string         `json:"userId"`
	AnonymousID  string         `json:"anonymousId"`
	PreviousID   string         `json:"previousId"`
	GroupID      string         `json:"groupId"`
	Event        string         `json:"event"`
	Name         string         `json:"name"`
	Category     string         `json:"category"`
	Traits       map[string]any `json:"traits"`
	Properties   map[string]any `json:"properties"`
	Context      map[string]any `json:"context"`
	Integrations map[string]any `json:"integrations"`
	Timestamp    time.Time      `json:"timestamp"`
}

// parse reads a line. Whole numbers become integers, as in typical Go code.
func parse(line []byte) (call Call, err error) {
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.UseNumber()
	err = decoder.Decode(&call)
	for _, object := range []map[string]any{call.Traits, call.Properties, call.Context, call.Integrations} {
		for key, value := range object {
			object[key] = native(value)
		}
	}
	return call, err
}

func native(value any) any {
	switch value := value.(type) {
	case json.Number:
		return number(value)
	case []any:
		for i := range value {
			value[i] = native(value[i])
		}
	case map[string]any:
		for key := range value {
			value[key] = native(value[key])
		}
	}
	return value
}

func number(text json.Number) any {
	if integer, err := text.Int64(); err == nil {
		return integer
	}
	var unsigned uint64
	if json.Unmarshal([]byte(text), &unsigned) == nil {
		return unsigned
	}
	float, _ := text.Float64()
	return float
}
