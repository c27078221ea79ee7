// Package command makes a tool of any program: arguments go in as JSON on its
// standard input, the result comes out on its standard output.
package command

import (
	"encoding/json"
	"time"

	"github.com/localagent/localagent/tools"
)

// Config declares a program as a tool.
type Config struct {
	Name        string
	Description string
	Command     []string        // argv; run without a shell
	Class       tools.Class     // Exec unless said otherwise
	Schema      json.RawMessage // of the arguments; nil: any object
	Volatile    bool
	Timeout     time.Duration // 0: the caller's default
	Dir         string        // working directory; "": the caller's
}

// New returns the tool.
func New(c Config) (*tools.Tool, error) { return nil, nil }
