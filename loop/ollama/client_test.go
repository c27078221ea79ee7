package ollama

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/loop/ollama/ollamatest"
)

func TestClient(t *testing.T) {
	s := ollamatest.New(t, ollamatest.Reply{Text: "Hi"})
	s.Version = "0.12.3"
	s.Models = []ollamatest.Model{
		{Name: "qwen3:8b", Size: 5_200_000_000, Digest: "sha256:12", Family: "qwen3", Context: 40960, Window: 8192,
			Capabilities: []string{"completion", "tools", "thinking"},
			Template:     "{{ .Prompt }}", Parameters: "stop                           \"<|im_start|>\"\nstop \"<|im_end|>\"\ntop_k 20"},
		{Name: "gemma"},
	}
	if _, err := read(t, &Model{Name: "qwen3:8b", Host: s.URL}, ask("Hello")); err != nil {
		t.Fatal(err)
	}
	c := &Client{Host: s.URL}
	ctx := t.Context()

	if v, err := c.Version(ctx); err != nil || v != "0.12.3" {
		t.Errorf("version: %q %v", v, err)
	}
	if u, err := c.URL(); err != nil || u != s.URL {
		t.Errorf("URL: %q %v", u, err)
	}
	qwen := Info{Name: "qwen3:8b", Digest: "sha256:12", Size: 5_200_000_000, Family: "qwen3", Scale: "1B", Quant: "Q4_K_M"}
	gemma := Info{Name: "gemma:latest", Family: "llama", Scale: "1B", Quant: "Q4_K_M"}
	models, err := c.Models(ctx)
	if diff := cmp.Diff([]Info{gemma, qwen}, models); err != nil || diff != "" {
		t.Errorf("models: %v (-want +got):\n%s", err, diff)
	}
	running := qwen
	running.Window = 8192
	loaded, err := c.Running(ctx)
	if diff := cmp.Diff([]Info{running}, loaded); err != nil || diff != "" {
		t.Errorf("running: %v (-want +got):\n%s", err, diff)
	}
	shown := Info{
		Name: "qwen3:8b", Family: "qwen3", Scale: "1B", Quant: "Q4_K_M",
		Capabilities: []string{"completion", "tools", "thinking"},
		Context:      40960,
		Template:     "{{ .Prompt }}",
		Parameters:   map[string][]string{"stop": {"<|im_start|>", "<|im_end|>"}, "top_k": {"20"}},
	}
	show, err := c.Show(ctx, "qwen3:8b")
	if diff := cmp.Diff(shown, show); err != nil || diff != "" {
		t.Errorf("show: %v (-want +got):\n%s", err, diff)
	}
}

func TestClientErrors(t *testing.T) {
	c := &Client{Host: ollamatest.New(t).URL}
	_, err := c.Show(t.Context(), "nobody")
	var e *loop.ModelError
	if !errors.As(err, &e) || e.Status != 404 || !strings.Contains(e.Cure, "ollama pull nobody") {
		t.Errorf("got %v %+v, want a 404 with the cure", err, e)
	}
	if _, err := (&Client{Host: "a:b"}).Models(t.Context()); err == nil || !strings.Contains(err.Error(), `"a:b"`) {
		t.Errorf("got %v, want an error that names the host", err)
	}
}

func TestTrained(t *testing.T) {
	for name, tt := range map[string]struct {
		info map[string]any
		want int
	}{
		"by architecture":      {map[string]any{"general.architecture": "llama", "llama.context_length": 8192.0, "a.context_length": 1.0}, 8192},
		"without architecture": {map[string]any{"gemma3.context_length": 131072.0}, 131072},
		"unknown":              {map[string]any{}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if got := trained(tt.info); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}
