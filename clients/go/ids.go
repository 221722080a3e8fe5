package analytics

import (
	"bufio"
	"crypto/rand"
	"encoding/hex"
	"io"
	"sync"
)

var random = struct {
	sync.Mutex
	*bufio.Reader
}{Reader: bufio.NewReader(rand.Reader)}

// newMessageID returns a random UUID (version 4).
func newMessageID() (string, error) {
	var id [16]byte
	random.Lock()
	_, err := io.ReadFull(random.Reader, id[:])
	random.Unlock()
	if err != nil {
		return "", err
	}
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	var text [36]byte
	hex.Encode(text[0:8], id[0:4])
	hex.Encode(text[9:13], id[4:6])
	hex.Encode(text[14:18], id[6:8])
	hex.Encode(text[19:23], id[8:10])
	hex.Encode(text[24:36], id[10:16])
	text[8], text[13], text[18], text[23] = '-', '-', '-', '-'
	return string(text[:]), nil
}
