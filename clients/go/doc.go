// Package analytics sends analytics calls to Hookline.
//
// A call is validated, encoded and queued, and returns: it never waits for the network. The client sends the queue in
// the background, in the order of the calls, one request at a time, and retries what fails. Nothing is lost in silence:
// every call that cannot be delivered is an error of its method, of Client.OnError or of Client.Close.
//
// The API is that of version 2 of analytics-go, so a program of that library compiles with another import.
package analytics

// Version of this package.
const Version = "0.1.0"
