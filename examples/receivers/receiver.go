package main

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const (
	inbox     = "inbox"
	maxBytes  = 4 << 20
	tolerance = 5 * time.Minute
)

func keyOf(secret string) ([]byte, error) {
	if secret == "" {
		return nil, errors.New("set HOOKLINE_SECRET to the destination's shared secret")
	}
	if encoded, found := strings.CutPrefix(secret, "whsec_"); found {
		return base64.StdEncoding.DecodeString(encoded)
	}
	return []byte(secret), nil
}

func isSigned(key []byte, header http.Header, body []byte) bool {
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || id == "" || time.Since(time.Unix(seconds, 0)).Abs() > tolerance {
		return false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for _, signature := range strings.Fields(header.Get("webhook-signature")) {
		if hmac.Equal([]byte(signature), expected) {
			return true
		}
	}
	return false
}

// store writes a delivery to disk. It returns false if the delivery was already stored.
func store(id string, body []byte) (bool, error) {
	part, err := os.CreateTemp(inbox, "*.part")
	if err != nil {
		return false, err
	}
	defer os.Remove(part.Name())
	_, err = part.Write(body)
	if err := errors.Join(err, part.Sync(), part.Close()); err != nil {
		return false, err
	}
	err = os.Link(part.Name(), filepath.Join(inbox, id+".json"))
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	return err == nil, err
}

// receive returns the status of the response.
func receive(key []byte, w http.ResponseWriter, r *http.Request) int {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBytes))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return http.StatusRequestEntityTooLarge
	}
	if err != nil {
		return http.StatusBadRequest
	}
	if !isSigned(key, r.Header, body) {
		return http.StatusUnauthorized
	}
	id := r.Header.Get("webhook-id")
	isNew, err := store(id, body)
	if err != nil {
		log.Print(err)
		return http.StatusInternalServerError
	}
	log.Printf("%s %s", map[bool]string{true: "stored", false: "duplicate"}[isNew], id)
	return http.StatusOK
}

func main() {
	key, err := keyOf(os.Getenv("HOOKLINE_SECRET"))
	if err != nil {
		log.Fatal(err)
	}
	if err := os.MkdirAll(inbox, 0o700); err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("POST /", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(receive(key, w, r))
	})
	address := "127.0.0.1:" + cmp.Or(os.Getenv("PORT"), "4801")
	server := &http.Server{Addr: address, ReadTimeout: 10 * time.Second}
	log.Printf("Listening on http://%s/", address)
	log.Fatal(server.ListenAndServe())
}
