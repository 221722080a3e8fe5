package main

import (
	"crypto/ed25519"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const keyTolerance = 5 * time.Minute

// isSignedWith verifies with a public key that begins with whpk_.
func isSignedWith(publicKey string, header http.Header, body []byte) bool {
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || id == "" || time.Since(time.Unix(seconds, 0)).Abs() > keyTolerance {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(publicKey, "whpk_"))
	if err != nil || len(key) != ed25519.PublicKeySize {
		return false
	}
	signed := append([]byte(id+"."+timestamp+"."), body...)
	signatures := strings.Fields(header.Get("webhook-signature"))
	for _, each := range signatures[:min(len(signatures), 10)] {
		encoded, isAsymmetric := strings.CutPrefix(each, "v1a,")
		signature, err := base64.StdEncoding.DecodeString(encoded)
		if isAsymmetric && err == nil && ed25519.Verify(key, signed, signature) {
			return true
		}
	}
	return false
}
