package analytics

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxMessageIDCharacters is the service's limit, in UTF-16 code units.
const maxMessageIDCharacters = 100

// validate returns an error for a call with an invalid field, or without a required one.
func validate(call fields) error {
	for _, id := range []string{
		call.userID, call.anonymousID, call.groupID, call.previousID, call.message.MessageId,
	} {
		// JSON would replace the invalid bytes with U+FFFD, which could produce another user's id.
		if !utf8.ValidString(id) {
			return &ValidationError{Code: "id_not_unicode", Detail: "An id is not valid UTF-8."}
		}
		if strings.IndexFunc(id, unicode.IsControl) >= 0 {
			return &ValidationError{Code: "id_control_character", Detail: "An id contains a control character."}
		}
	}
	if utf16Length(call.message.MessageId) > maxMessageIDCharacters {
		detail := fmt.Sprintf("MessageId is over %d characters.", maxMessageIDCharacters)
		return &ValidationError{Code: "message_id_too_long", Detail: detail}
	}
	if !isReadable(call.message.Timestamp) {
		return &ValidationError{Code: "timestamp_invalid", Detail: "Timestamp must be an ISO 8601 string."}
	}
	if code, missing := missingIn(call); code != "" {
		detail := fmt.Sprintf("A call of type %s requires a non-empty %s.", call.message.Type, missing)
		return &ValidationError{Code: code, Detail: detail}
	}
	return nil
}

func missingIn(call fields) (code, missing string) {
	kind := call.message.Type
	switch {
	case kind == "alias" && (call.userID == "" || call.previousID == ""):
		return "id_required", "UserId and PreviousId"
	case kind == "alias":
		return "", ""
	case call.userID == "" && call.anonymousID == "":
		return "no_user_anon_id", "UserId or AnonymousId"
	case kind == "track" && call.event == "":
		return "event_not_defined", "Event"
	case kind == "group" && call.groupID == "":
		return "id_required", "GroupId"
	}
	return "", ""
}

func utf16Length(text string) int {
	length := 0
	for _, char := range text {
		length++
		if char > 0xffff {
			length++
		}
	}
	return length
}
