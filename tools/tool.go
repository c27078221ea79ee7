package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// A Tool is something a model may call.
type Tool struct {
	Name        string          // [A-Za-z_][A-Za-z0-9_.:/-]{0,63}
	Description string          // the first line is what a prompt shows
	Parameters  json.RawMessage // JSON Schema of the arguments, an object; nil: any object

	Class    Class         // what it can do, for permission
	Access   Access        // what may run beside it
	Volatile bool          // the same arguments may give a new result
	Keep     bool          // its results survive compaction
	Timeout  time.Duration // limit of one call; 0: the caller's default

	// Run does the work. A returned error becomes a result that the model
	// reads. A string is shown to the model as it is, a [Result] is taken as
	// the result, any other value goes through safejson. Run should return
	// soon after ctx ends, with what it has; a value it returns then counts as
	// part of the work, unless it is a Result with a status of its own. An
	// error beside a Result that says ok counts.
	Run func(ctx context.Context, call Call) (any, error)

	// Preview, if not nil, shows a person what the call would do: the
	// command, or a diff. It changes nothing.
	Preview func(ctx context.Context, call Call) (string, error)
}

// A Call is a request to run a tool.
type Call struct {
	ID   string          // set by the caller; copied into the result
	Name string          // as the model wrote it
	Args json.RawMessage // a JSON object

	// MaxBytes is how much room there is for the result text; 0: the tool's
	// own limit, or 50 KiB if it has none. A tool that has more says what it
	// left out and how to get it.
	MaxBytes int

	// Timeout is the limit for tools without one of their own; 0: none.
	Timeout time.Duration

	// Coerced are the arguments that [Set.Check] converted; it sets them and
	// [Set.Do] copies them into the result.
	Coerced []string

	// Mistakes remembers the wrong calls of a run; nil: every wrong call is
	// answered as if it were the first.
	Mistakes *Mistakes
}

// Class is what a tool can do to the machine. The zero value is the most
// dangerous one. Its text form is the lower-case word.
type Class uint8

const (
	Exec  Class = iota // runs programs
	Write              // changes files
	Read               // only looks
)

var classNames = []string{"exec", "write", "read"}

func (c Class) String() string               { return wordOf(classNames, int(c), "class") }
func (c Class) MarshalText() ([]byte, error) { return textOf(classNames, int(c), "class") }

// UnmarshalText reads exec, write or read.
func (c *Class) UnmarshalText(text []byte) error { return readWord(c, classNames, text, "class") }

// Access says what may run beside a call. The zero value is the safe one. Its
// text form is exclusive or read_only.
type Access uint8

const (
	Exclusive Access = iota // runs alone
	ReadOnly                // may run beside other ReadOnly calls
)

var accessNames = []string{"exclusive", "read_only"}

func (a Access) String() string               { return wordOf(accessNames, int(a), "access") }
func (a Access) MarshalText() ([]byte, error) { return textOf(accessNames, int(a), "access") }

// UnmarshalText reads exclusive or read_only.
func (a *Access) UnmarshalText(text []byte) error { return readWord(a, accessNames, text, "access") }

func wordOf(names []string, i int, what string) string {
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("%s(%d)", what, i)
}

func textOf(names []string, i int, what string) ([]byte, error) {
	if i < len(names) {
		return []byte(names[i]), nil
	}
	return nil, fmt.Errorf("tools: no %s %d", what, i)
}

func readWord[T ~uint8](p *T, names []string, text []byte, what string) error {
	i := slices.Index(names, string(text))
	if i < 0 {
		return fmt.Errorf("tools: %s %.40q, want one of %q", what, text, names)
	}
	*p = T(i)
	return nil
}

// Status is how a call ended.
type Status string

const (
	OK          Status = "ok"
	Failed      Status = "error"        // the tool returned an error
	UnknownTool Status = "unknown_tool" // no such tool
	InvalidArgs Status = "invalid_args" // arguments do not fit the schema
	Panicked    Status = "panic"        // the tool panicked
	TimedOut    Status = "timeout"      // the tool's time was up
	Denied      Status = "denied"       // a person or a rule said no
	Refused     Status = "refused"      // needs approval and nobody could be asked
	Aborted     Status = "aborted"      // the run was cancelled while it ran
	Skipped     Status = "skipped"      // never started
	Repeated    Status = "repeated"     // the loop guard did not run it again
)

// A Result is what came of a call. Every call gets exactly one. Its JSON form
// is stable and reads back as the same Result.
type Result struct {
	ID        string `json:"id"`
	Name      string `json:"name"` // as registered; as written if it is not
	Status    Status `json:"status"`
	Text      string `json:"text"`                // for the model, valid UTF-8
	Truncated bool   `json:"truncated,omitempty"` // Text leaves something out, and says so
	Digest    string `json:"digest,omitempty"`    // of the full result, also of what Text leaves out

	Coerced []string `json:"coerced,omitempty"` // arguments that were converted to fit the schema

	// For people and logs; never sent to the model.
	ExitCode *int          `json:"exit_code,omitempty"` // of a program
	Diff     string        `json:"diff,omitempty"`      // of a changed file
	Stack    string        `json:"stack,omitempty"`     // of a panic
	Elapsed  time.Duration `json:"elapsed_ns,omitempty"`
}
