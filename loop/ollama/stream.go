package ollama

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/parse"
)

const (
	// loadingAfter is how long nothing may come before the user is told that
	// the model is being loaded.
	loadingAfter = 3 * time.Second

	// stallLimit ends a reply that began and does not go on. It is generous:
	// some servers hold a whole thought back. Before the first line there is
	// no limit.
	stallLimit = 5 * time.Minute
)

// hangUp is how long the server has after its last line to end the reply, so
// that the connection can be used again.
const hangUp = 100 * time.Millisecond

var (
	errStalled = fmt.Errorf("the server sent nothing for %v in the middle of a reply", stallLimit)
	errLoaded  = errors.New("the server answered that the model is loaded or unloaded, and nothing else")
)

// chat sends the request and yields the reply. The API's client runs on a
// goroutine of its own, so that silence can be noticed here.
func (m *Model) chat(ctx context.Context, req *api.ChatRequest, yield func(loop.Chunk, error) bool) {
	ctx, cancel := context.WithCancel(ctx)
	replies := make(chan api.ChatResponse)
	var failed error // set before replies is closed
	go func() {
		defer close(replies)
		failed = m.server().do(ctx, m.Name, func(a *api.Client) error { return receive(ctx, a, req, replies) })
	}()
	defer func() {
		cancel()
		for range replies { // until the connection is closed
		}
	}()

	silence := time.NewTimer(loadingAfter)
	defer silence.Stop()
	begun := false
	for {
		select {
		case r, ok := <-replies:
			if !ok {
				yield(loop.Chunk{}, failed)
				return
			}
			if !pass(r, yield) {
				return
			}
			if r.Done {
				settle(replies)
				return
			}
			if !begun || says(r) {
				silence.Reset(stallLimit)
			}
			begun = true
		case <-silence.C:
			if begun {
				yield(loop.Chunk{}, &loop.ModelError{Kind: loop.Broken, Err: errStalled})
				return
			}
			if !yield(loop.Chunk{Loading: true}, nil) {
				return
			}
		}
	}
}

// receive sends the lines of the reply on. It fails unless the line came that
// ends it.
func receive(ctx context.Context, a *api.Client, req *api.ChatRequest, to chan<- api.ChatResponse) error {
	done := false
	err := a.Chat(ctx, req, func(r api.ChatResponse) error {
		if r.DoneReason == "load" || r.DoneReason == "unload" {
			return errLoaded
		}
		select {
		case to <- r:
			done = done || r.Done
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	if err == nil && !done {
		return loop.ErrNoTerminal
	}
	return err
}

// says reports whether a line of the reply takes it further. Others may come for
// ever.
func says(r api.ChatResponse) bool {
	m := r.Message
	return m.Content != "" || m.Thinking != "" || len(m.ToolCalls) > 0
}

// pass yields what a line of the reply holds and says whether to go on.
func pass(r api.ChatResponse, yield func(loop.Chunk, error) bool) bool {
	c := loop.Chunk{Text: r.Message.Content, Thinking: r.Message.Thinking}
	for _, native := range r.Message.ToolCalls {
		if call, text, ok := nativeCall(native); ok {
			c.Calls = append(c.Calls, call)
		} else {
			c.Text += "\n" + text // for the loop to judge as any other text
		}
	}
	if c.Text != "" || c.Thinking != "" || c.Calls != nil {
		if !yield(c, nil) {
			return false
		}
	}
	if !r.Done {
		return true
	}
	return yield(loop.Chunk{Done: &loop.Done{
		Finish: finish(r.DoneReason),
		Prompt: r.PromptEvalCount,
		Output: r.EvalCount,
		Load:   r.LoadDuration,
		Eval:   r.EvalDuration,
	}}, nil)
}

func finish(reason string) parse.Finish {
	switch reason {
	case "stop":
		return parse.FinishStop
	case "length":
		return parse.FinishLength
	}
	return parse.FinishUnknown // old servers give none
}

// settle waits for the end of a reply whose last line has come.
func settle(replies <-chan api.ChatResponse) {
	end := time.After(hangUp)
	for {
		select {
		case _, ok := <-replies:
			if !ok {
				return
			}
		case <-end:
			return
		}
	}
}
