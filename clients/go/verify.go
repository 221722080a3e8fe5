package analytics

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// ErrSignature is returned by VerifySignature if a request was not signed with any of the keys, or was signed more than five
// minutes before or after now.
var ErrSignature = errors.New("analytics: the request has no valid webhook-signature")

// ErrKey is returned by VerifySignature if it gets no keys, or if one is empty or malformed.
var ErrKey = errors.New("analytics: a key must be a secret, whsec_ followed by base64, or whpk_ followed by 32 bytes in base64")

const signatureTolerance = 5 * time.Minute

// Hookline sends at most 4: two secrets and two keys. Anyone can send more, and each costs time.
const maxSignatures = 10

var meantAsKey = regexp.MustCompile(`(?i)^\W*wh[ps]k_`)

// VerifySignature checks the webhook-signature header of a delivery (Standard Webhooks). body is the raw body, before any
// parsing. A key is a secret, or a public key that begins with whpk_; pass several during a rotation. One valid signature
// is enough.
func VerifySignature(body []byte, header http.Header, keys ...string) error {
	return verifySignatureAt(time.Now(), body, header, keys)
}

func verifySignatureAt(now time.Time, body []byte, header http.Header, keys []string) error {
	verifiers := make([]func(signed []byte, signature string) bool, 0, len(keys))
	for _, key := range keys {
		verifier, err := verifierOf(key)
		if err != nil {
			return err
		}
		verifiers = append(verifiers, verifier)
	}
	if len(verifiers) == 0 {
		return ErrKey
	}
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseUint(timestamp, 10, 40)
	if err != nil || id == "" || now.Sub(time.Unix(int64(seconds), 0)).Abs() > signatureTolerance {
		return ErrSignature
	}
	signed := append([]byte(id+"."+timestamp+"."), body...)
	signatures := strings.Fields(header.Get("webhook-signature"))
	for _, signature := range signatures[:min(len(signatures), maxSignatures)] {
		for _, verify := range verifiers {
			if verify(signed, signature) {
				return nil
			}
		}
	}
	return ErrSignature
}

func verifierOf(key string) (func(signed []byte, signature string) bool, error) {
	if encoded, isPublic := strings.CutPrefix(key, "whpk_"); isPublic {
		public, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil || len(public) != ed25519.PublicKeySize {
			return nil, ErrKey
		}
		return func(signed []byte, signature string) bool {
			bytes, isOurs := signatureBytes(signature, "v1a,")
			return isOurs && ed25519.Verify(public, signed, bytes)
		}, nil
	}
	// If a public key were used as a secret, anyone could sign requests with it.
	if meantAsKey.MatchString(key) {
		return nil, ErrKey
	}
	secret := []byte(key)
	if encoded, isBase64 := strings.CutPrefix(key, "whsec_"); isBase64 {
		decoded, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			return nil, ErrKey
		}
		secret = decoded
	}
	if len(secret) == 0 {
		return nil, ErrKey
	}
	return func(signed []byte, signature string) bool {
		bytes, isOurs := signatureBytes(signature, "v1,")
		if !isOurs || len(bytes) != sha256.Size {
			return false
		}
		mac := hmac.New(sha256.New, secret)
		mac.Write(signed)
		return hmac.Equal(bytes, mac.Sum(nil))
	}, nil
}

func signatureBytes(signature, version string) ([]byte, bool) {
	encoded, found := strings.CutPrefix(signature, version)
	bytes, err := base64.StdEncoding.DecodeString(encoded)
	return bytes, found && err == nil
}
