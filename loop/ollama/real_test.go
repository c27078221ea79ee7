package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/loop/ollama/ollamatest"
	"github.com/localagent/localagent/parse"
)

// The adapter against a real server; skipped without one.
func TestRealServer(t *testing.T) {
	const call = "Sure, let me look.\n\n```json\n{\"tool\":\"count_chars\",\"args\":{\"path\":\"notes.txt\"}}\n```\n"
	const answer = "There are 42 characters in notes.txt."
	s := ollamatest.Start(t)
	s.Create(t, "scripted", ollamatest.Scripted{Replies: []string{call, answer}, Context: 8192})
	m := &Model{Name: "scripted", Host: s.URL}

	first := ask("How many characters are in notes.txt?")
	second := ask("How many characters are in notes.txt?")
	second.Messages = append(second.Messages,
		loop.Message{Role: loop.Assistant, Content: call},
		loop.Message{Role: loop.User, Content: "count_chars: 42"})

	t.Run("a call, then the answer", func(t *testing.T) {
		for req, want := range map[*loop.Request]string{first: call, second: answer} {
			r, err := read(t, m, req)
			if err != nil {
				t.Fatal(err)
			}
			if r.Text != want || r.Done.Finish != parse.FinishStop || r.Done.Prompt == 0 || r.Done.Output == 0 {
				t.Errorf("got %q %+v, want %q", r.Text, r.Done, want)
			}
		}
	})
	t.Run("cut at the limit", func(t *testing.T) {
		req := ask("Hello")
		req.MaxOutput = 3
		r, err := read(t, m, req)
		if err != nil || r.Done.Finish != parse.FinishLength || !strings.HasPrefix(call, r.Text) || len(r.Text) == 0 {
			t.Errorf("got %q %+v %v, want the beginning of the call", r.Text, r.Done, err)
		}
	})
	t.Run("held to a schema", func(t *testing.T) {
		req := ask("Hello")
		req.Schema = json.RawMessage(`{"type":"object","properties":{"tool":{"const":"calc"},"n":{"type":"integer","maximum":9}},"required":["tool","n"]}`)
		req.Vary = 1
		r, err := read(t, m, req)
		var got struct {
			Tool string
			N    *int
		}
		if err != nil || json.Unmarshal([]byte(r.Text), &got) != nil || got.Tool != "calc" || got.N == nil {
			t.Errorf("got %q %v, want an object that fits", r.Text, err)
		}
	})
	t.Run("window", func(t *testing.T) {
		if got, err := m.Window(t.Context()); err != nil || got != 8192 {
			t.Errorf("got %d %v, want 8192", got, err)
		}
	})
	t.Run("what it has", func(t *testing.T) {
		c := &Client{Host: s.URL}
		models, err := c.Models(t.Context())
		if err != nil || len(models) != 1 || models[0].Name != "scripted:latest" || models[0].Digest == "" || models[0].Size == 0 {
			t.Errorf("models: %+v %v", models, err)
		}
		show, err := c.Show(t.Context(), "scripted")
		if err != nil || show.Context != 8192 || len(show.Capabilities) != 1 || show.Capabilities[0] != "completion" || show.Template == "" {
			t.Errorf("show: %+v %v", show, err)
		}
		running, err := c.Running(t.Context())
		if err != nil || len(running) != 1 || running[0].Window != 8192 {
			t.Errorf("running: %+v %v", running, err)
		}
		if v, err := c.Version(t.Context()); err != nil || v == "" {
			t.Errorf("version: %q %v", v, err)
		}
	})
	t.Run("thinking that it cannot do", func(t *testing.T) {
		_, err := read(t, &Model{Name: "scripted", Host: s.URL, Think: "true"}, first)
		var e *loop.ModelError
		if !errors.As(err, &e) || e.Kind != loop.Fatal || e.Status != 400 || !strings.Contains(e.Cure, "--think") {
			t.Errorf("got %v %+v, want a 400 with the cure", err, e)
		}
	})
	t.Run("not found", func(t *testing.T) {
		_, err := read(t, &Model{Name: "nobody", Host: s.URL}, first)
		var e *loop.ModelError
		if !errors.As(err, &e) || e.Kind != loop.Fatal || e.Status != 404 || !strings.Contains(e.Cure, "ollama pull nobody") {
			t.Errorf("got %v %+v, want a 404 with the cure", err, e)
		}
	})
	t.Run("cancel", func(t *testing.T) {
		s.Create(t, "endless", ollamatest.Scripted{Replies: []string{"again and again, "}, Endless: true})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		chats := strings.Count(s.Log(), `"/api/chat"`)
		var last error
		for _, err := range (&Model{Name: "endless", Host: s.URL}).Stream(ctx, &loop.Request{Messages: first.Messages, MaxOutput: 1e8}) {
			last = err
			cancel()
		}
		if last != context.Canceled {
			t.Errorf("got %v, want that it was cancelled", last)
		}
		// The server logs a request when it has ended.
		for range 100 {
			if strings.Count(s.Log(), `"/api/chat"`) > chats {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Errorf("the server still writes:\n%s", s.Log())
	})
	t.Run("a prompt over the window", func(t *testing.T) {
		// New servers refuse it; those that cut it tell by the count alone.
		r, err := read(t, &Model{Name: "scripted", Host: s.URL, NumCtx: 512}, ask(strings.Repeat("a long prompt ", 200)))
		var e *loop.ModelError
		switch {
		case errors.As(err, &e):
			if e.Kind != loop.TooLong {
				t.Errorf("got %v %+v, want TooLong", err, e)
			}
		case r.Done.Prompt > 512:
			t.Errorf("a prompt of %d tokens in a window of 512", r.Done.Prompt)
		}
	})
}
