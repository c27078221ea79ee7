package tools

import (
	"context"
	"encoding/json"
	"time"
)

// A Tool is something a model may call.
type Tool struct {
	Name        string          // [A-Za-z_][A-Za-z0-9_.:/-]{0,63}
	Description string          // the first line is what a prompt shows
	Parameters  json.RawMessage // JSON Schema of the arguments, an object

	Class    Class         // what it can do, for permission
	Access   Access        // what may run beside it
	Volatile bool          // the same arguments may give a new result
	Keep     bool          // its results survive compaction
	Timeout  time.Duration // limit of one call; 0: the caller's default

	// Run does the work. A returned error becomes a result that the model
	// reads. A string is shown to the model as it is, a [Result] is taken as
	// the result, any other value goes through safejson. Run should return
	// soon after ctx ends, with what it has.
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
	// own limit. A tool that has more says what it left out and how to get it.
	MaxBytes int
}

// Class is what a tool can do to the machine. The zero value is the most
// dangerous one.
type Class uint8

const (
	Exec  Class = iota // runs programs
	Write              // changes files
	Read               // only looks
)

// Access says what may run beside a call. The zero value is the safe one.
type Access uint8

const (
	Exclusive Access = iota // runs alone
	ReadOnly                // may run beside other ReadOnly calls
)

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

// A Result is what came of a call. Every call gets exactly one.
type Result struct {
	ID        string
	Name      string // as registered; as written if it is not
	Status    Status
	Text      string // for the model
	Truncated bool   // Text leaves something out, and says so
	Digest    string // of the full result, when Text may leave something out

	Coerced []string // arguments that were converted to fit the schema

	// For people and logs; never sent to the model.
	ExitCode *int   // of a program
	Diff     string // of a changed file
	Elapsed  time.Duration
}
