package loop

import (
	"context"
	"encoding/json"
	"iter"
	"time"

	"github.com/localagent/localagent/parse"
)

// A Model writes replies.
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
	Retry    *Retry       // the adapter is about to try again; all of this reply so far is void
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
	Attempt int
	Delay   time.Duration
	Err     error
}
