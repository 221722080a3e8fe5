package analytics

// outcome is the final result of a batch: it will not be sent again.
type outcome struct {
	batch    batch
	response response
	// rejected are the messages that the service rejected individually, without duplicates.
	rejected []rejectedMessage
}

func outcomeOf(b batch, r response) outcome {
	o := outcome{batch: b, response: r}
	seen := make(map[int]bool, len(r.rejected))
	for _, each := range r.rejected {
		if each.Index < 0 || each.Index >= len(b.messages) || seen[each.Index] {
			continue
		}
		seen[each.Index] = true
		o.rejected = append(o.rejected, each)
	}
	return o
}

// delivered returns the number of delivered messages with a number below end.
func (o outcome) delivered(end uint64) int {
	if !o.response.isSuccess() || end <= o.batch.first {
		return 0
	}
	count := min(int(end-o.batch.first), len(o.batch.messages))
	delivered := count
	for _, each := range o.rejected {
		if each.Index < count {
			delivered--
		}
	}
	return delivered
}

// errors returns the failures of the batch. Each failed message is in exactly one of them.
func (o outcome) errors() []error {
	var failures []error
	for _, each := range o.rejected {
		failures = append(failures, &RejectedError{MessageId: each.MessageID, Code: each.Code, Message: each.Message})
	}
	others := len(o.batch.messages) - len(o.rejected)
	if !o.response.isSuccess() && others > 0 {
		r := o.response
		failures = append(failures, &DeliveryError{Messages: others, Status: r.status, Code: r.code, Err: r.err})
	}
	return failures
}
