// Package ollama is a [loop.Model] over the API of an Ollama server.
package ollama

import (
	"context"
	"iter"

	"github.com/localagent/localagent/loop"
)

// A Model is one model of one server. Name is required.
type Model struct {
	Name      string
	Host      string // as users write OLLAMA_HOST; "": that variable, else the default
	NumCtx    int    // window to ask for; 0: the model's own, at most 16384
	Seed      *int
	Temp      *float64
	Options   map[string]any // any other option of the server
	KeepAlive string         // a duration; "": 30m
	Think     string         // "": no; "true", "low", "medium", "high"
}

// Stream implements [loop.Model].
func (m *Model) Stream(ctx context.Context, req *loop.Request) iter.Seq2[loop.Chunk, error] {
	return func(yield func(loop.Chunk, error) bool) {}
}

// Window implements [loop.Windower].
func (m *Model) Window(ctx context.Context) (int, error) { return 0, nil }
