package loop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/localagent/localagent/parse"
)

// A Model writes replies. It makes one attempt: whether, when and how often to
// ask again is the loop's decision, made from the [ModelError] it returns.
type Model interface {
	// Stream yields the reply piece by piece and ends with exactly one chunk
	// whose Done is set, or with an error. A stream that ends with neither is
	// [ErrNoTerminal]. Leaving the iteration stops the generation.
	Stream(ctx context.Context, req *Request) iter.Seq2[Chunk, error]
}

// A Windower is a [Model] that can tell how many tokens really fit.
type Windower interface {
	Window(ctx context.Context) (int, error) // 0: not known
}

// A Request is what a model is asked.
type Request struct {
	Messages  []Message       // system first and only there, then user and assistant in turn
	MaxOutput int             // tokens; 0: the model's own limit
	Schema    json.RawMessage // the reply must fit it (constrained decoding); nil: free text

	// Vary asks for other sampling than the same request would get: 0 as
	// configured, n the n-th variation (another seed, a temperature floor).
	Vary int

	// NoThink asks for a reply without a thought of its own, where the model
	// can: the last reply was nothing but thought.
	NoThink bool
}

// A Message is one turn as the model sees it.
type Message struct {
	Role    Role   `json:"role"`
	Content string `json:"content"`
}

// Role says who speaks. Results of tools are told by the user.
type Role string

const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
)

// A Chunk is a piece of a reply.
type Chunk struct {
	Text     string
	Thinking string       // from a channel of its own; never read for calls
	Calls    []parse.Call // native calls nobody asked for
	Loading  bool         // the server is loading the model
	Done     *Done        // the last chunk
}

// Done ends a reply.
type Done struct {
	Finish parse.Finish
	Prompt int // tokens of the prompt, 0: not known
	Output int // tokens of the reply
	Load   time.Duration
	Eval   time.Duration
}

// Retry says that a request is sent again after a passing failure.
type Retry struct {
	Attempt int // from 1
	Delay   time.Duration
	Err     error
}

// ErrNoTerminal is a stream that ended without saying that it was complete.
var ErrNoTerminal = errors.New("loop: the model's stream broke off")

// A ModelError is how an adapter reports a failure. The loop does by Kind:
//
//	Fatal        ends the run as model_error; the user is told Cure
//	Unreachable  3 tries within 3 s
//	Busy         up to 8 tries, 0.5 s doubling to 10 s with jitter, or RetryAfter
//	Broken       up to 3 tries; ErrNoTerminal and io.ErrUnexpectedEOF count as this kind
//	TooLong      the context is compacted to Window, then asked again
//
// Any other error is Fatal, a cancelled context apart.
type ModelError struct {
	Kind   ErrorKind
	Status int    // HTTP status; 0: there was none
	Cure   string // one sentence for the user: what to do; "": not known
	Err    error  // what happened; its text is shown

	RetryAfter time.Duration // when the server named one; 0: it did not

	// Of TooLong, in tokens, where the server says so; 0: it does not.
	Prompt, Window int
}

// ErrorKind is what a failure of a model means for the run.
type ErrorKind string

const (
	Fatal       ErrorKind = ""            // not found, bad request, out of memory, sign in
	Unreachable ErrorKind = "unreachable" // nobody listens there
	Busy        ErrorKind = "busy"        // 429, 502 to 504, queue full, still loading
	Broken      ErrorKind = "broken"      // the reply or the runner broke off half way
	TooLong     ErrorKind = "too_long"    // the prompt does not fit the window
)

func (e *ModelError) Error() string {
	if e.Status != 0 {
		return fmt.Sprintf("model: %v (status %d)", e.Err, e.Status)
	}
	return fmt.Sprintf("model: %v", e.Err)
}

func (e *ModelError) Unwrap() error { return e.Err }
