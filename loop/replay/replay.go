// Package replay is a [loop.Model] that plays recorded replies from a file.
package replay

import (
	"context"
	"io"
	"iter"

	"github.com/localagent/localagent/loop"
)

// A Reply is one recorded reply: a line of the file.
type Reply struct {
	Text     string `json:"text"`
	Thinking string `json:"thinking,omitempty"`
	Finish   string `json:"finish,omitempty"` // stop (default), length
}

// A Model plays replies in order, in pieces as a server would send them.
type Model struct {
	Replies []Reply
}

// Read reads JSON lines of replies.
func Read(r io.Reader) (*Model, error) { return &Model{}, nil }

// Stream implements [loop.Model].
func (m *Model) Stream(ctx context.Context, req *loop.Request) iter.Seq2[loop.Chunk, error] {
	return func(yield func(loop.Chunk, error) bool) {}
}
