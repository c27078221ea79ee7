package loop

import (
	"encoding/json"
	"time"

	"github.com/localagent/localagent/parse"
	"github.com/localagent/localagent/tools"
)

// An Event is something that happened in a run. The set is closed: the types
// of this file.
type Event interface{ event() }

type (
	// RunStarted is the first event.
	RunStarted struct {
		Tools   []string
		Window  int           // tokens, 0: not known
		Options parse.Options // how replies are read: enough to read them again later
	}
	// UserMessage is a user turn that joined the conversation: of the user, or
	// of the loop itself (a nudge, a warning, "go on").
	UserMessage struct {
		Text string // as its [Entry] has it
		Kind string // of the Entry: [KindTask] (also when ""), [KindSteer], [KindNote]
	}
	// StepStarted begins a step: one request and what follows from it.
	StepStarted struct {
		Step   int
		Tokens int // estimate of the prompt
	}
	// Loading says that the server is loading the model.
	Loading struct{}
	// TextDelta is prose of the reply as it comes.
	TextDelta struct{ Text string }
	// ThinkingDelta is thought as it comes.
	ThinkingDelta struct{ Text string }
	// Retracted says that the text of this step so far was thought or is void.
	Retracted struct{}
	// Replied is a whole reply and its reading. Raw is every byte the model wrote.
	Replied struct {
		Raw     string
		Finish  parse.Finish
		Reading parse.Result
		Aborted bool
		Calls   []Call // of the reading, as they are to run; also those that never will
		Usage   Usage  // of this reply
	}
	// ToolStarted says that a call begins to run.
	ToolStarted struct {
		Call Call
	}
	// ToolEnded is the result of a call; sent for every call, also one that
	// never ran.
	ToolEnded struct {
		Call   Call
		Result tools.Result
	}
	// Asked says how a call that needed permission was decided.
	Asked struct {
		Call     Call
		Decision Permission
	}
	// FreshRetry says that the reply was unusable and the request is sent
	// again without it. What the step had shown so far is void.
	FreshRetry struct {
		Attempt int
		Problem parse.Problem
		Schema  bool // the last try: constrained by a schema
	}
	// ModelRetry says that the model's server failed in passing and is asked
	// again. What the step had shown so far is void.
	ModelRetry struct{ Retry Retry }
	// Compacted says that old context was shortened.
	Compacted struct {
		Tier          string  // snip, microcompact, summarize
		Before, After int     // tokens, estimated
		Entries       []Entry // the whole conversation as it now stands; a log resumes from it
	}
	// Warned is a note for the user.
	Warned struct{ Code, Text string }
	// StepEnded ends a step.
	StepEnded struct{ State State }
	// RunEnded is the last event.
	RunEnded struct{ Result *Result }
)

// Native is the dialect of calls that came beside the text of a reply, in a
// field of their own.
const Native parse.Dialect = "native"

// A Call is a call of a run.
type Call struct {
	ID       string          `json:"id"` // "STEP.INDEX", from 1
	Name     string          `json:"name"`
	Args     json.RawMessage `json:"args"`
	Dialect  parse.Dialect   `json:"dialect,omitempty"`
	Repaired bool            `json:"repaired,omitempty"`
	Echo     bool            `json:"echo,omitempty"` // also stands in text the model was given
}

// Usage counts tokens and time.
type Usage struct {
	PromptTokens int           `json:"prompt_tokens"`
	OutputTokens int           `json:"output_tokens"`
	Load         time.Duration `json:"load"`
	Eval         time.Duration `json:"eval"`
}

func (RunStarted) event()    {}
func (UserMessage) event()   {}
func (StepStarted) event()   {}
func (Loading) event()       {}
func (TextDelta) event()     {}
func (ThinkingDelta) event() {}
func (Retracted) event()     {}
func (Replied) event()       {}
func (ToolStarted) event()   {}
func (ToolEnded) event()     {}
func (Asked) event()         {}
func (FreshRetry) event()    {}
func (ModelRetry) event()    {}
func (Compacted) event()     {}
func (Warned) event()        {}
func (StepEnded) event()     {}
func (RunEnded) event()      {}
