// Package permission decides whether a call may run: rules of allow, ask and
// deny over the classes read, write and exec. Commands for a shell are judged
// by parsing them, never by their prefix.
package permission

import (
	"encoding/json"

	"github.com/localagent/localagent/tools"
)

// Verdict is what a policy says of a call.
type Verdict uint8

const (
	Ask Verdict = iota // a person has to say
	Allow
	Deny
)

// Mode is what happens to calls that no rule names.
type Mode string

const (
	ModeAsk   Mode = "ask"   // reads run, the rest is asked for (the default)
	ModeNever Mode = "never" // reads run, the rest is refused without asking
	ModeEdits Mode = "edits" // reads and file changes run
	ModeAll   Mode = "all"   // everything runs, echoes apart
)

// A Policy decides. Its zero value has no rules and asks for what is not a read.
type Policy struct {
	Mode  Mode
	Rules []Rule
}

// A Rule allows, asks for or denies calls of one class or tool.
type Rule struct {
	Verdict Verdict
	Class   tools.Class
	Tool    string // "": any tool of the class
	Pattern string // of the path or command; "": any
	Source  string // where it came from: "flag", "user config", …
}

// A Decision is a verdict and its reason.
type Decision struct {
	Verdict Verdict
	By      string // "rule", "mode", "echo", "session"
	Rule    string // the rule as written, when By is "rule"
	Why     string // one line for people
}

// ParseRule reads "allow exec git log *" and its kind.
func ParseRule(s, source string) (Rule, error) { return Rule{}, nil }

// Decide judges a call of t with these arguments. An echo is a call that also
// stands in text the model was given; see package loop.
func (p *Policy) Decide(t *tools.Tool, args json.RawMessage, echo bool) Decision {
	return Decision{}
}
