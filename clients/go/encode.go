package analytics

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"
)

// maxNestingLevels is the service's limit for nested objects and arrays in a call, including the call itself.
const maxNestingLevels = 64

var library = map[string]interface{}{"name": "hookline-go", "version": Version}

// libraryPrefix begins a call without a context.
var libraryPrefix = []byte(`{"context":{"library":{"name":"hookline-go","version":"` + Version + `"}},`)

// encoded is a call as JSON, not affected by later changes to its maps.
type encoded struct {
	kind      string
	messageID string
	json      []byte
}

type encoder struct {
	buffer bytes.Buffer
	json   *json.Encoder
}

var encoders = sync.Pool{New: func() interface{} {
	e := &encoder{}
	e.json = json.NewEncoder(&e.buffer)
	e.json.SetEscapeHTML(false)
	return e
}}

// encode returns a *ValidationError for a call that JSON cannot represent or that exceeds the limits.
func encode(call Call, message Message, context map[string]interface{}, maxBytes int) (encoded, error) {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	e.buffer.Reset()
	sent := call.with(message, withLibrary(context))
	if err := e.json.Encode(sent); err != nil {
		return encoded{}, &ValidationError{Code: codeOf(err), Detail: err.Error(), Err: err}
	}
	if err := lostIn(e.buffer.Bytes(), sent); err != nil {
		return encoded{}, err
	}
	text := bytes.TrimSuffix(e.buffer.Bytes(), []byte("\n"))
	var prefix []byte
	if len(context) == 0 {
		prefix, text = libraryPrefix, text[1:]
	}
	if size := len(prefix) + len(text); size > maxBytes {
		detail := fmt.Sprintf("The call is %d bytes. The limit is %d.", size, maxBytes)
		return encoded{}, &ValidationError{Code: "message_too_large", Detail: detail}
	}
	// A copy of the exact size, so that the queue holds no unused capacity.
	exact := make([]byte, len(prefix)+len(text))
	copy(exact[copy(exact, prefix):], text)
	if isDeeperThan(exact, maxNestingLevels) {
		return encoded{}, &ValidationError{Code: "nested_too_deep", Detail: "The call is nested too deeply."}
	}
	return encoded{kind: message.Type, messageID: message.MessageId, json: exact}, nil
}

func withLibrary(context map[string]interface{}) map[string]interface{} {
	if len(context) == 0 {
		return nil
	}
	with := make(map[string]interface{}, len(context)+1)
	for key, value := range context {
		with[key] = value
	}
	with["library"] = library
	return with
}

// isDeeperThan reports whether JSON has more than this many levels of objects and arrays.
func isDeeperThan(text []byte, levels int) bool {
	if bytes.Count(text, []byte("{"))+bytes.Count(text, []byte("[")) <= levels {
		return false
	}
	depth, inString := 0, false
	for i := 0; i < len(text) && depth <= levels; i++ {
		switch char := text[i]; {
		case inString && char == '\\':
			i++
		case char == '"':
			inString = !inString
		case inString:
		case char == '{' || char == '[':
			depth++
		case char == '}' || char == ']':
			depth--
		}
	}
	return depth > levels
}
