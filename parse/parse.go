package parse

import "encoding/json"

// Options say what a reply may call and in which state it begins.
// The zero value reads only calls inside hard markers.
type Options struct {
	// Tools are the registered tools. Without any, forms that need a
	// registered name are read only inside hard markers.
	Tools []Tool

	// InThought says that the prompt template has opened the thought: the
	// reply begins inside it, and nothing is released before it is closed.
	InThought bool

	// ExpectJSON says that the caller asked for JSON: unmarked JSON is the
	// answer. Marked calls stay calls.
	ExpectJSON bool
}

// A Tool is one registered tool.
type Tool struct {
	Name string

	// Parameters is the JSON Schema of the arguments, or nil when it is not
	// known. It types values of dialects that carry only text, names the one
	// parameter a positional argument belongs to, and tells flat arguments
	// from other keys.
	Parameters json.RawMessage
}

// Finish says how the model stopped writing, as far as the transport knows.
type Finish uint8

const (
	FinishUnknown Finish = iota // the transport does not say
	FinishStop                  // the model ended its reply
	FinishLength                // an output limit cut the reply
)

// Outcome is what a reply is.
type Outcome uint8

const (
	Unparseable Outcome = iota // not to be used: ask again with a fresh request
	Final                      // an answer
	Calls                      // one or more calls to run, in order
)

// Result is the reading of one reply.
type Result struct {
	Outcome  Outcome
	Calls    []Call    // for outcome Calls only, in the order of the text
	Void     []Call    // complete calls of a reply that must not be run
	Text     string    // the answer, or the prose around the calls
	Thinking string    // what stood in thinking blocks
	Problem  *Problem  // why the reply is Unparseable, else nil
	Dropped  []Dropped // spans that count as nothing, in order
}

// A Call is one complete call of a tool.
type Call struct {
	Name    string          // as registered; as written if it is not
	Args    json.RawMessage // one JSON object in canonical form
	Span    Span            // the call's bytes in the reply, wrapper apart
	Dialect Dialect
	Repairs []Repair // in order of their offsets; a long run of one code is cut
	Marked  bool     // stood in a marker, a fence or was the whole reply
}

// A Span is a range of byte offsets of the reply.
type Span struct {
	Start, End int
}

// A Repair is one change of spelling that was needed to read a call.
type Repair struct {
	Code   RepairCode
	Offset int // byte offset in the reply
}

// A Problem says why and where a reply cannot be used.
type Problem struct {
	Reason   Reason
	Offset   int    // byte offset in the reply
	Expected string // what would have been right there
	Found    string // what stood there, shortened
}

// A Dropped span belongs neither to the text nor to a call.
type Dropped struct {
	Span   Span
	Reason string // "token", "marker", "pseudo-call", … or one of the constants below
}

// The reasons of a [Dropped] span with which the reply ends: from there on
// nothing counts, and a [Scanner] sends [EventStop]. Other reasons name what a
// span was that stood between text and calls.
const (
	DroppedResult     = "invented-result" // a result that the model wrote itself
	DroppedTurn       = "invented-turn"   // a turn of somebody else
	DroppedRepetition = "repetition"      // the same again and again
	DroppedTooLarge   = "too-large"       // more than any reply that is read
)

// Reason is why a reply is Unparseable. The list is closed.
type Reason string

const (
	ReasonEmpty              Reason = "empty"
	ReasonUnfinishedThinking Reason = "unfinished-thinking"
	ReasonTruncated          Reason = "truncated"
	ReasonMalformed          Reason = "malformed"
	ReasonBadArgs            Reason = "bad-args"
	ReasonDuplicateKey       Reason = "duplicate-key"
	ReasonAmbiguous          Reason = "ambiguous"
	ReasonSchemaEcho         Reason = "schema-echo"
	ReasonReactConflict      Reason = "react-conflict"
	ReasonRepetition         Reason = "repetition"
	ReasonTooDeep            Reason = "too-deep"
	ReasonTooLarge           Reason = "too-large"
)

// Dialect names the way a call was written.
type Dialect string

// RepairCode names a kind of [Repair].
type RepairCode string
