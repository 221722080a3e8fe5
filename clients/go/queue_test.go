package analytics

import (
	"fmt"
	"reflect"
	"testing"
)

func TestABatchIsFullAtFlushAtMessagesOrMaxBatchBytes(t *testing.T) {
	q := queue{bounds: bounds{flushAt: 3, maxBatchBytes: envelopeBytes + 10 + 1 + 10, maxQueueBytes: 1000, maxQueueMessages: 100}}
	push := func(sizes ...int) {
		for _, size := range sizes {
			q.push(make([]byte, size))
		}
	}
	taken := func() (sizes []int) {
		for _, message := range q.take().messages {
			sizes = append(sizes, len(message))
		}
		q.settle()
		return sizes
	}
	push(1, 1)
	if q.hasFullBatch() {
		t.Error("two small messages fill a batch")
	}
	push(1, 1)
	if !q.hasFullBatch() || !reflect.DeepEqual(taken(), []int{1, 1, 1}) {
		t.Error("three messages: not full")
	}
	push(10, 9, 1)
	if !q.hasFullBatch() || !reflect.DeepEqual(taken(), []int{1, 10}) || !reflect.DeepEqual(taken(), []int{9, 1}) {
		t.Error("maxBatchBytes is ignored")
	}
}

func TestMessagesInFlightCountTowardsTheBoundsOfTheQueue(t *testing.T) {
	q := queue{bounds: bounds{flushAt: 2, maxBatchBytes: 1000, maxQueueBytes: 30, maxQueueMessages: 3}}
	message := make([]byte, 10)
	q.push(message)
	q.push(message)
	q.take()
	if !q.hasRoomFor(message) || q.hasRoomFor(make([]byte, 11)) {
		t.Error("wrong room after 20 bytes")
	}
	q.push(nil)
	if q.hasRoomFor(nil) || q.isHalfEmpty() {
		t.Error("not full at three")
	}
	q.settle()
	if !q.hasRoomFor(message) || !q.isHalfEmpty() {
		t.Error("still in flight")
	}
}

// Each byte is a step: push messages, take a batch, or settle it. The results are compared with a naive queue.
func FuzzTheQueueKeepsOrderAndCounts(f *testing.F) {
	f.Add([]byte("ppptsppptptss"), 2)
	f.Fuzz(func(t *testing.T, steps []byte, flushAt int) {
		q := queue{bounds: bounds{flushAt: max(1, flushAt%7), maxBatchBytes: envelopeBytes + 20, maxQueueBytes: 1 << 20, maxQueueMessages: 1 << 20}}
		var waiting []string
		inFlight, number := 0, 0
		// Many messages at once, so that the array is moved and reallocated.
		for _, step := range steps {
			switch {
			case step%3 == 0:
				for i := 0; i < int(step); i++ {
					text := fmt.Sprint(number)
					number++
					q.push([]byte(text))
					waiting = append(waiting, text)
				}
			case step%3 == 1 && inFlight == 0 && len(waiting) > 0:
				b := q.take()
				if len(b.messages) == 0 || len(b.messages) > q.flushAt || b.first != uint64(number-len(waiting)) {
					t.Fatalf("batch %d has %d messages", b.first, len(b.messages))
				}
				for i, message := range b.messages {
					if string(message) != waiting[i] {
						t.Fatalf("%s, want %s", message, waiting[i])
					}
				}
				inFlight, waiting = len(b.messages), waiting[len(b.messages):]
			case step%3 == 2:
				q.settle()
				inFlight = 0
			}
			if q.waiting() != len(waiting) || q.pending() != len(waiting)+inFlight || q.tail() != uint64(number) {
				t.Fatalf("%d waiting, want %d", q.waiting(), len(waiting))
			}
			if q.pendingBefore(q.tail()) != q.pending() || q.pendingBefore(q.head) != inFlight {
				t.Fatalf("%d pending before %d", q.pendingBefore(q.head), q.head)
			}
			if cap(q.messages) > 8*max(spareMessages, q.pending()) {
				t.Fatalf("room for %d messages, of %d", cap(q.messages), q.pending())
			}
		}
	})
}
