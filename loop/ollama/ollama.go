// Package ollama is a [loop.Model] over the API of an Ollama server.
//
// A [Model] asks in text and never with the server's tools field, so it works
// with every model that writes text. Each request says what a server would
// otherwise decide silently: the window, the longest reply, no cutting of the
// prompt, no forgetting in the middle of it, no thinking. A reply counts only
// when the line that ends it has come.
//
// Failures are [loop.ModelError] values with a cure for the user; nothing is
// tried twice here. A [Client] answers questions about a server.
package ollama

import (
	"context"
	"errors"
	"iter"
	"sync"
	"sync/atomic"

	"github.com/localagent/localagent/loop"
)

// A Model is one model of one server. Name is required; the rest must not be
// changed after the first use. It is safe for concurrent use.
type Model struct {
	Name      string
	Host      string // see [ParseHost]; "": the variable OLLAMA_HOST
	NumCtx    int    // window to ask for, in tokens; 0: the Modelfile's, else the model's own, at most 16384
	Seed      *int
	Temp      *float64
	Options   map[string]any // any other option of the server, values as in JSON
	KeepAlive string         // a duration, seconds, or -1; "": 30m
	Think     string         // "": no; "true", "low", "medium", "high", "max"

	once   sync.Once
	client *Client
	info   atomic.Pointer[Info] // once the server told
}

// Stream implements [loop.Model]. A chunk says Loading when nothing has come
// for three seconds: the server loads the model, or reads a long prompt.
func (m *Model) Stream(ctx context.Context, req *loop.Request) iter.Seq2[loop.Chunk, error] {
	return func(yield func(loop.Chunk, error) bool) {
		info, err := m.show(ctx)
		if err != nil {
			yield(loop.Chunk{}, err)
			return
		}
		chat, err := m.chatRequest(req, info)
		if err != nil {
			yield(loop.Chunk{}, err)
			return
		}
		m.chat(ctx, chat, yield)
	}
}

// Window implements [loop.Windower]: the smallest of what is asked for, what
// the model was trained for, and, once it is loaded, what the server allocated.
func (m *Model) Window(ctx context.Context) (int, error) {
	info, err := m.show(ctx)
	if err != nil {
		return 0, err
	}
	window := m.numCtx(info)
	if info.Context > 0 {
		window = min(window, info.Context)
	}
	running, err := m.server().Running(ctx)
	if ctx.Err() != nil {
		return 0, err
	}
	for _, r := range running { // none when the server, or what stands before it, cannot say
		if SameModel(r.Name, m.Name) && r.Window > 0 {
			window = min(window, r.Window)
		}
	}
	return window, nil
}

// show asks once what the server knows of the model. A server that cannot say
// may still be able to chat, and else says better what is wrong.
func (m *Model) show(ctx context.Context) (Info, error) {
	if known := m.info.Load(); known != nil {
		return *known, nil
	}
	info, err := m.server().Show(ctx, m.Name)
	var e *loop.ModelError
	switch {
	case err == nil:
		m.info.Store(&info)
	case errors.As(err, &e) && (e.Status != 0 || e.Kind == loop.Fatal):
		err = nil
	}
	return info, err
}

func (m *Model) server() *Client {
	m.once.Do(func() {
		if m.client == nil {
			m.client = &Client{Host: m.Host}
		}
	})
	return m.client
}
