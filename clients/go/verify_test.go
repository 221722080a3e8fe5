package analytics

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// signedRequest is an example that packages/client/test/verify.test.ts verifies as well.
type signedRequest struct {
	Body    string
	Headers map[string]string
	Keys    []string
	Now     int64
	Valid   bool
	Reason  string
}

func TestVerifySignature(t *testing.T) {
	text, err := os.ReadFile("testdata/signatures.json")
	if err != nil {
		t.Fatal(err)
	}
	var requests []signedRequest
	if err := json.Unmarshal(text, &requests); err != nil {
		t.Fatal(err)
	}
	for _, request := range requests {
		header := http.Header{}
		for name, value := range request.Headers {
			header.Set(name, value)
		}
		err := verifySignatureAt(time.Unix(request.Now, 0), []byte(request.Body), header, request.Keys)
		if request.Valid != (err == nil) || (err != nil && !errors.Is(err, ErrSignature)) {
			t.Errorf("%s: %v", request.Reason, err)
		}
	}
}

func TestVerifySignatureRefusesMalformedKeys(t *testing.T) {
	for _, keys := range [][]string{nil, {""}, {"whsec_"}, {"whsec_%"}, {"whpk_YQ=="}, {"a secret", "whpk_%"}, {" whpk_YQ=="}, {"\"whpk_YQ==\""}, {"‘(whpk_YQ=="}, {"\ufeffwhpk_YQ=="}, {"WHPK_YQ=="}, {"whsk_YQ=="}} {
		if err := VerifySignature(nil, http.Header{}, keys...); !errors.Is(err, ErrKey) {
			t.Errorf("%v: %v", strings.Join(keys, " "), err)
		}
	}
}
