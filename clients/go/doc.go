// Package analytics sends analytics calls to Hookline.
//
// A call is validated, encoded and queued, and returns without waiting for the network. The client sends the queue in
// the background, in the order of the calls, one request at a time, with retries. No call is lost silently: every failure
// is returned by a method, passed to Client.OnError, or logged.
//
// The API is compatible with version 2 of analytics-go, except that it lacks Backo, DefaultContext and Batch: change the
// import, and programs that do not use these compile.
package analytics

// Version is the version of this package.
const Version = "0.1.0"
