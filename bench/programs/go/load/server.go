package load

import (
	"io"
	"net/http"
	"strings"
	"sync"
)

// Server is an http.RoundTripper that does not respond before it is released. It uses no sockets, because the benchmark
// measures only the library.
type Server struct {
	mu       sync.Mutex
	changed  *sync.Cond
	requests int
	released chan struct{}
}

func newServer() *Server {
	s := &Server{released: make(chan struct{})}
	s.changed = sync.NewCond(&s.mu)
	return s
}

// RoundTrip responds when the server is released.
func (s *Server) RoundTrip(request *http.Request) (*http.Response, error) {
	s.mu.Lock()
	s.requests++
	s.changed.Broadcast()
	s.mu.Unlock()
	select {
	case <-s.released:
	case <-request.Context().Done():
		return nil, request.Context().Err()
	}
	body := io.NopCloser(strings.NewReader(`{"success":true}`))
	return &http.Response{StatusCode: 200, Status: "200 OK", Header: http.Header{}, Body: body, Request: request}, nil
}

// waitFor returns when this many requests have begun. Their bodies exist by then.
func (s *Server) waitFor(requests int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.requests < requests {
		s.changed.Wait()
	}
}

// release lets the server respond with 200.
func (s *Server) release() { close(s.released) }
