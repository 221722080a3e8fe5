package analytics

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"unicode/utf8"
)

// codeOf returns the code for an error of encoding/json.
func codeOf(err error) string {
	var unsupported *json.UnsupportedValueError
	if errors.As(err, &unsupported) && unsupported.Value.CanFloat() {
		return "number_not_finite"
	}
	return "invalid_json"
}

// lostIn returns an error if encoding/json silently lost a value of the call.
func lostIn(text []byte, call interface{}) error {
	switch {
	case !utf8.Valid(text), bytes.Contains(text, []byte(`\ufffd`)) && hasInvalidText(reflect.ValueOf(call)):
		return &ValidationError{Code: "invalid_json", Detail: "A string is not valid UTF-8."}
	case hasInfinity(text):
		return &ValidationError{Code: "number_not_finite", Detail: "A number is too large for a float64."}
	}
	return nil
}

// hasInvalidText reports whether a value contains a string that is not valid UTF-8. encoding/json replaces the invalid
// bytes with U+FFFD.
func hasInvalidText(value reflect.Value) bool {
	switch value.Kind() {
	case reflect.String:
		return !utf8.ValidString(value.String())
	case reflect.Interface, reflect.Pointer:
		return !value.IsNil() && hasInvalidText(value.Elem())
	case reflect.Map:
		for entries := value.MapRange(); entries.Next(); {
			if hasInvalidText(entries.Key()) || hasInvalidText(entries.Value()) {
				return true
			}
		}
	case reflect.Slice, reflect.Array:
		// Bytes are sent as base64, or are already JSON.
		for i := 0; value.Type().Elem().Kind() != reflect.Uint8 && i < value.Len(); i++ {
			if hasInvalidText(value.Index(i)) {
				return true
			}
		}
	case reflect.Struct:
		for i := 0; i < value.NumField(); i++ {
			field := value.Type().Field(i)
			isSent := (field.IsExported() || field.Anonymous) && field.Tag.Get("json") != "-"
			if isSent && hasInvalidText(value.Field(i)) {
				return true
			}
		}
	}
	return false
}

// hasInfinity reports whether JSON has a number too large for float64, such as 1e999 from a json.Number, which the service
// would read as infinity.
func hasInfinity(text []byte) bool {
	for i, inString := 0, false; i < len(text); i++ {
		switch char := text[i]; {
		case inString && char == '\\':
			i++
		case char == '"':
			inString = !inString
		case !inString && char >= '0' && char <= '9':
			start := i
			for i+1 < len(text) && bytes.IndexByte([]byte("0123456789.eE+-"), text[i+1]) >= 0 {
				i++
			}
			if _, err := strconv.ParseFloat(string(text[start:i+1]), 64); err != nil {
				return true
			}
		}
	}
	return false
}
