package ollama

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/loop/ollama/ollamatest"
)

// The whole of what is sent, and nothing else: no tools, no thinking.
func TestRequestOnTheWire(t *testing.T) {
	s := ollamatest.New(t)
	s.Models[0].Parameters = "stop \"<|im_end|>\"\nstop    \"<|im_start|>\"\ntemperature 0.1"
	m := &Model{Name: "test", Host: s.URL}
	if _, err := read(t, m, ask("Hello")); err != nil {
		t.Fatal(err)
	}
	want := `{
		"model": "test",
		"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello"}],
		"keep_alive": "30m0s",
		"options": {"num_ctx": 16384, "num_predict": 4096, "stop": ["<|im_end|>", "<|im_start|>"]},
		"think": false, "truncate": false, "shift": false
	}`
	if diff := cmp.Diff(object(t, want), object(t, string(s.Chats()[0].Body))); diff != "" {
		t.Errorf("request differs (-want +got):\n%s", diff)
	}
}

func object(t *testing.T, s string) (v map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// Requests of one run differ in the messages alone: a server loads the model
// again when the window changes.
func TestRequestIsConstant(t *testing.T) {
	s := ollamatest.New(t, ollamatest.Reply{Text: "Hi"})
	m := &Model{Name: "test", Host: s.URL}
	for _, text := range []string{"one", "two"} {
		if _, err := m.Window(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := read(t, m, ask(text)); err != nil {
			t.Fatal(err)
		}
	}
	for _, field := range []string{"options", "keep_alive", "shift", "truncate", "think"} {
		if a, b := s.Chats()[0].Field(field), s.Chats()[1].Field(field); a != b {
			t.Errorf("%s: first %s, then %s", field, a, b)
		}
	}
}

func TestOptions(t *testing.T) {
	seed, temp, cold := 7, 0.5, 0.0
	type options = map[string]any
	for name, tt := range map[string]struct {
		model *Model
		req   loop.Request
		own   map[string][]string // the Modelfile's parameters
		want  options
	}{
		"nothing said": {
			want: options{"num_ctx": 4096, "num_predict": 1024},
		},
		"sampling": {
			model: &Model{NumCtx: 8192, Seed: &seed, Temp: &temp},
			req:   loop.Request{MaxOutput: 100},
			want:  options{"num_ctx": 8192, "num_predict": 100, "seed": 7, "temperature": 0.5},
		},
		"any other option": {
			model: &Model{Options: options{"top_k": 5.0, "num_ctx": 2048.0, "num_predict": 50.0}},
			want:  options{"num_ctx": 2048, "num_predict": 50, "top_k": 5.0},
		},
		"a user's limit does not raise the loop's": {
			model: &Model{Options: options{"num_predict": -1.0}},
			req:   loop.Request{MaxOutput: 100},
			want:  options{"num_ctx": 4096, "num_predict": 100},
		},
		"first variation": {
			req:  loop.Request{Vary: 1},
			want: options{"num_ctx": 4096, "num_predict": 1024, "seed": 1},
		},
		"second variation, cold": {
			model: &Model{Seed: &seed, Temp: &cold},
			req:   loop.Request{Vary: 2},
			want:  options{"num_ctx": 4096, "num_predict": 1024, "seed": 9, "temperature": 0.3},
		},
		"variation of a warm model": {
			model: &Model{Seed: &seed, Temp: &temp},
			req:   loop.Request{Vary: 1},
			want:  options{"num_ctx": 4096, "num_predict": 1024, "seed": 8, "temperature": 0.5},
		},
		"variation where the Modelfile is cold": {
			req:  loop.Request{Vary: 1},
			own:  map[string][]string{"temperature": {"0"}},
			want: options{"num_ctx": 4096, "num_predict": 1024, "seed": 1, "temperature": 0.3},
		},
		"stop strings do not replace the Modelfile's": {
			model: &Model{Options: options{"stop": []any{"END", "<|im_end|>"}}},
			own:   map[string][]string{"stop": {"<|im_end|>"}},
			want:  options{"num_ctx": 4096, "num_predict": 1024, "stop": []string{"<|im_end|>", "END"}},
		},
		"a stop string that looks like a number": {
			model: &Model{Options: options{"stop": 42}},
			own:   map[string][]string{"stop": {"END"}},
			want:  options{"num_ctx": 4096, "num_predict": 1024, "stop": []string{"42", "END"}},
		},
		"one stop string": {
			model: &Model{Options: options{"stop": "END"}},
			want:  options{"num_ctx": 4096, "num_predict": 1024, "stop": []string{"END"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := tt.model
			if m == nil {
				m = &Model{}
			}
			if diff := cmp.Diff(tt.want, m.options(&tt.req, Info{Parameters: tt.own})); diff != "" {
				t.Errorf("options differ (-want +got):\n%s", diff)
			}
		})
	}
}

// Options that have no JSON are the program's mistake, not the server's silence.
func TestOptionsWithoutJSON(t *testing.T) {
	m := &Model{Options: map[string]any{"top_p": math.NaN()}}
	if _, err := m.chatRequest(&loop.Request{}, Info{}); err == nil || !strings.Contains(err.Error(), "options") {
		t.Errorf("got %v", err)
	}
}

func TestThink(t *testing.T) {
	for name, tt := range map[string]struct {
		think string
		req   loop.Request
		want  any
	}{
		"not asked":         {"", loop.Request{}, false},
		"no":                {"false", loop.Request{}, false},
		"yes":               {"true", loop.Request{}, true},
		"a level":           {"high", loop.Request{}, "high"},
		"not in this reply": {"high", loop.Request{NoThink: true}, false},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := (&Model{Think: tt.think}).think(&tt.req)
			if err != nil || got.Value != tt.want {
				t.Errorf("got %v %v, want %v", got, err, tt.want)
			}
		})
	}
}

func TestKeepAlive(t *testing.T) {
	for in, want := range map[string]time.Duration{
		"": 30 * time.Minute, "90": 90 * time.Second, "1h30m": 90 * time.Minute, "-1": -time.Second, "0": 0,
	} {
		if got, err := keepAlive(in); err != nil || got != want {
			t.Errorf("keepAlive(%q) = %v %v, want %v", in, got, err, want)
		}
	}
}
