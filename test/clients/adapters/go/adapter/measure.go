package adapter

import (
	"fmt"
	"os"
	"runtime"
)

const (
	calls        = 300_000
	callsPerLook = 1_000
	tooMuch      = 512 << 20
)

// measure measures the effect of a client on its process, like program.ts.
func measure(open Open, part, endpoint string) {
	options := Options{Endpoint: endpoint, FlushAt: 20, FlushAfterMs: 3_600_000, MaxRetries: 1_000, TimeoutMs: 10_000}
	client := open(options, func() {})
	if part == "idle" {
		_ = client.Track("first", nil)
		_, _ = client.Flush()
		_ = client.Track("left waiting", nil)
		return
	}
	start := residentBytes()
	peak := start
	for i := 0; i < calls; i++ {
		_ = client.Track("Order Completed", map[string]interface{}{
			"index": i, "currency": "EUR", "orderId": fmt.Sprintf("o-%d", i),
		})
		if i%callsPerLook > 0 {
			continue
		}
		runtime.Gosched()
		if peak = max(peak, residentBytes()); peak-start > tooMuch {
			break
		}
	}
	fmt.Print(peak - start)
}

func residentBytes() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		panic(err)
	}
	var total, resident int64
	if _, err := fmt.Sscan(string(text), &total, &resident); err != nil {
		panic(err)
	}
	return resident * int64(os.Getpagesize())
}
