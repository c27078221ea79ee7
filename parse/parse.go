package parse

import "encoding/json"

// Options say what a reply may call and in which state it begins.
// The zero value reads only calls inside hard markers. Tools are copied: the
// caller may write over them afterwards.
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

// A Tool is one registered tool. Of two with the same name the first counts.
type Tool struct {
	// Name should be of the form [A-Za-z_][A-Za-z0-9_.:/-]{0,63}. Calls that
	// are not written in JSON can hold no other.
	Name string

	// Parameters is the JSON Schema of the arguments, or nil when it is not
	// known. It types values of dialects that carry only text, names the one
	// parameter a positional argument belongs to, and tells flat arguments
	// from other keys. Arguments are not validated against it; what is no
	// schema of an object counts as nil.
	Parameters json.RawMessage
}

// Finish says how the model stopped writing, as far as the transport knows.
type Finish uint8

const (
	FinishUnknown Finish = iota // the transport does not say; read as FinishStop
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
	Void     []Call    // the complete calls of an Unparseable reply, which must not be run
	Text     string    // the answer, or the prose around the calls
	Thinking string    // what stood in thinking blocks
	Problem  *Problem  // why the reply is Unparseable, else nil
	Dropped  []Dropped // spans that count as nothing, in order
}

// A Call is one complete call of a tool.
type Call struct {
	Name    string          // as registered; as written if it is not
	Args    json.RawMessage // one JSON object in canonical form: UTF-8, no white space, no key twice
	Span    Span            // the call's bytes in the reply, without what is wrapped around it
	Dialect Dialect
	Repairs []Repair // in order of their offsets; a long run of one code is cut short
	Marked  bool     // it stood in a hard marker or a fence, or counts only where calls are the whole reply
}

// A Span is the range [Start, End) of byte offsets of the reply.
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
	Offset   int    // byte offset in the reply, its length if the end is at fault
	Expected string // what would have been right there
	Found    string // what stood there, cut short; "end of text" at the end
}

// A Dropped span belongs neither to the text nor to a call.
type Dropped struct {
	Span Span

	// Reason is one of the constants below, with which the reply ends, or names
	// what stood around text, thoughts and calls:
	//
	//	marker        a tag or token that announces a call, or that closes it
	//	wrapper       what is wrapped around a call: brackets, keys of a wrapper
	//	fence         the lines of a fence around calls
	//	separator     what parts two calls: white space, a comma, a comment
	//	stray-closer  a closing bracket or tag that closes nothing
	//	token         a control token that says nothing
	//	thinking-tag  a tag that opens or closes a thought
	//	label         what announces the answer, such as "Final Answer:"
	//	pseudo-call   a call that only means "this is the answer"
	//	edge          a byte-order mark or a character without width
	Reason string
}

// The reasons of a [Dropped] span with which the reply ends: from there on
// nothing counts, and a [Scanner] sends [EventStop].
const (
	DroppedResult     = "invented-result" // a result that the model wrote itself
	DroppedTurn       = "invented-turn"   // a turn of somebody else
	DroppedRepetition = "repetition"      // the same again and again
	DroppedTooLarge   = "too-large"       // more than any reply that is read
)

// Reason is why a reply is Unparseable. The list is closed.
type Reason string

const (
	ReasonEmpty              Reason = "empty"               // nothing but white space, tokens and thoughts
	ReasonUnfinishedThinking Reason = "unfinished-thinking" // a thought that never ends
	ReasonTruncated          Reason = "truncated"           // a call, or a list of them, that never ends
	ReasonMalformed          Reason = "malformed"           // a call that neither strict reading nor repair can read
	ReasonBadArgs            Reason = "bad-args"            // arguments that are no object, or not literal
	ReasonDuplicateKey       Reason = "duplicate-key"       // a key twice, with different values
	ReasonAmbiguous          Reason = "ambiguous"           // two readings of one call
	ReasonSchemaEcho         Reason = "schema-echo"         // a schema in place of arguments
	ReasonReactConflict      Reason = "react-conflict"      // an action and a final answer behind it
	ReasonRepetition         Reason = "repetition"          // the same text or call again and again
	ReasonTooDeep            Reason = "too-deep"            // nesting beyond 256 levels
	ReasonTooLarge           Reason = "too-large"           // more calls, arguments or bytes than the limits allow
)

// Dialect names the way a call was written: one of the Dialect constants.
type Dialect string

// RepairCode names a kind of [Repair]: one of the Repair constants.
type RepairCode string
