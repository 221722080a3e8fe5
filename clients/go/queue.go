package analytics

// bounds are the limits of a queue and its batches.
type bounds struct {
	// flushAt is the number of messages in a full batch.
	flushAt          int
	maxBatchBytes    int
	maxQueueBytes    int
	maxQueueMessages int
}

// queue holds the pending messages, in the order of their calls. A message first waits, then is in flight (in the batch that
// is being sent), then leaves the queue. Waiting and in-flight messages count towards the bounds. Messages are numbered
// over the lifetime of the queue.
type queue struct {
	bounds
	messages [][]byte
	// taken is the number of removed entries that are still at the start of the slice messages.
	taken        int
	waitingBytes int
	// head is the number of the first waiting message.
	head          uint64
	inFlight      int
	inFlightBytes int
}

// batch holds consecutive messages for one request.
type batch struct {
	// first is the number of its first message.
	first    uint64
	messages [][]byte
}

func (q *queue) waiting() int { return len(q.messages) - q.taken }

func (q *queue) pending() int { return q.waiting() + q.inFlight }

func (q *queue) bytes() int { return q.waitingBytes + q.inFlightBytes }

// tail is the number that the next message will have.
func (q *queue) tail() uint64 { return q.head + uint64(q.waiting()) }

// pendingBefore counts the pending messages with a number below end. Messages in flight are just before head.
func (q *queue) pendingBefore(end uint64) int {
	first := q.head - uint64(q.inFlight)
	if end <= first {
		return 0
	}
	return min(int(end-first), q.pending())
}

// hasFullBatch reports whether the waiting messages fill a batch.
func (q *queue) hasFullBatch() bool {
	waiting := q.waiting()
	return waiting >= q.flushAt || envelopeBytes+q.waitingBytes+waiting > q.maxBatchBytes
}

// isHalfEmpty reports whether less than half of each bound is used.
func (q *queue) isHalfEmpty() bool {
	return q.pending()*2 < q.maxQueueMessages && q.bytes()*2 < q.maxQueueBytes
}

func (q *queue) hasRoomFor(message []byte) bool {
	return q.pending() < q.maxQueueMessages && q.bytes()+len(message) <= q.maxQueueBytes
}

// push appends a message. Call hasRoomFor first.
func (q *queue) push(message []byte) {
	q.messages = append(q.messages, message)
	q.waitingBytes += len(message)
}

// take removes the next batch, as large as the bounds allow. At least one message must be waiting, and none in flight.
func (q *queue) take() batch {
	size, count := envelopeBytes-1, 0
	for _, message := range q.messages[q.taken:] {
		size += len(message) + 1
		if count == q.flushAt || size > q.maxBatchBytes {
			break
		}
		count++
		q.inFlightBytes += len(message)
	}
	taken := batch{first: q.head, messages: make([][]byte, count)}
	copy(taken.messages, q.messages[q.taken:])
	q.inFlight = count
	q.waitingBytes -= q.inFlightBytes
	q.head += uint64(count)
	q.release(count)
	return taken
}

// settle removes the batch in flight, which has its final outcome.
func (q *queue) settle() {
	q.inFlight, q.inFlightBytes = 0, 0
}

// spareMessages is the capacity that the array of messages keeps when unused.
const spareMessages = 1024

// release drops the first messages, so that they can be freed, and moves the others down once half of the array is unused.
func (q *queue) release(count int) {
	for i := q.taken; i < q.taken+count; i++ {
		q.messages[i] = nil
	}
	q.taken += count
	if q.taken < spareMessages && q.waiting() > 0 || q.taken*2 < len(q.messages) {
		return
	}
	rest := q.messages[q.taken:]
	if cap(q.messages) > spareMessages && len(rest)*4 < cap(q.messages) {
		q.messages = append(make([][]byte, 0, max(2*len(rest), spareMessages)), rest...)
	} else {
		q.messages = q.messages[:copy(q.messages, rest)]
	}
	q.taken = 0
}
