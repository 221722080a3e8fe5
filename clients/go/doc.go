// Package analytics sends analytics calls to Hookline.
//
// A call is validated, encoded and queued, and returns without waiting for the network. The client sends the queue in
// the background, in the order of the calls, one request at a time, with retries. No call is lost silently: every failure
// is an error returned by the method or Client.Close, or passed to Client.OnError.
//
// The API is compatible with version 2 of analytics-go, except for Backo, DefaultContext and Batch: change the import, and
// other programs compile.
package analytics

// Version is the version of this package.
const Version = "0.1.0"
