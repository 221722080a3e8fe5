package analytics

import (
	"log"
	"os"
	"slices"
	"strings"
)

// reporter reports failures to the program, and writes the debug log.
type reporter struct {
	onError func(error)
	logger  *log.Logger
	isDebug bool
}

func newLogger() *log.Logger { return log.New(os.Stderr, "analytics ", log.LstdFlags) }

func newReporter(c *Client) *reporter {
	logger := c.Logger
	if logger == nil {
		logger = newLogger()
	}
	return &reporter{
		onError: c.OnError, logger: logger, isDebug: c.Verbose || enablesDebug(os.Getenv("DEBUG")),
	}
}

// failure passes an error to OnError, or else to the logger. A panic in OnError does not stop the client.
func (r *reporter) failure(err error) {
	if r.onError == nil {
		r.logger.Print(err)
		return
	}
	defer func() {
		if thrown := recover(); thrown != nil {
			r.logger.Printf("OnError panicked: %v", thrown)
		}
	}()
	r.onError(err)
}

// debugf writes a line to the debug log. Lines identify a call by type, messageId and size, and never show its content.
func (r *reporter) debugf(format string, args ...interface{}) {
	if r.isDebug {
		r.logger.Printf(format, args...)
	}
}

// enablesDebug reports whether a DEBUG variable lists analytics or *. As usual for DEBUG, -analytics excludes it.
func enablesDebug(list string) bool {
	names := strings.FieldsFunc(list, func(char rune) bool { return char == ',' || char == ' ' })
	return (slices.Contains(names, "analytics") || slices.Contains(names, "*")) && !slices.Contains(names, "-analytics")
}
