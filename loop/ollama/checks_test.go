package ollama_test

import (
	"context"
	"encoding/json"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/loop/ollama"
	"github.com/localagent/localagent/loop/ollama/ollamatest"
	"github.com/localagent/localagent/tools"
)

// A trial is a run of the loop against a server.
type trial struct {
	*loop.Result
	ran     []string // arguments of the calls that ran
	retries []loop.ModelRetry
	warned  []string // codes
	loading int
}

// try runs a prompt with one tool, note.
func try(t *testing.T, host, prompt string) trial {
	t.Helper()
	var got trial
	note := tools.New(tools.Tool{Name: "note", Description: "Write something down."},
		func(_ context.Context, c tools.Call, _ struct {
			Text string `json:"text"`
		}) (string, error) {
			got.ran = append(got.ran, string(c.Args))
			return "noted", nil
		})
	agent := &loop.Agent{Model: &ollama.Model{Name: "test", Host: host}, Tools: tools.NewSet(note)}
	for ev := range agent.Events(t.Context(), &loop.Transcript{}, loop.Prompt{Text: prompt}) {
		switch ev := ev.(type) {
		case loop.ModelRetry:
			got.retries = append(got.retries, ev)
		case loop.Warned:
			got.warned = append(got.warned, ev.Code)
		case loop.Loading:
			got.loading++
		case loop.RunEnded:
			got.Result = ev.Result
		}
	}
	return got
}

const (
	noteCall = `{"tool":"note","args":{"text":"milk"}}`
	noteArgs = `{"text":"milk"}`
)

// What users of a local server meet, seen through the loop.
func TestNobodyThere(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	start := time.Now()
	got := try(t, l.Addr().String(), "Hello")
	if got.Stop != loop.StopModelError || len(got.retries) != 2 || time.Since(start) > 5*time.Second {
		t.Errorf("ended as %s after %d retries and %v, want model_error after 2 within 5s", got.Stop, len(got.retries), time.Since(start))
	}
	if !strings.Contains(got.Err.Error(), l.Addr().String()) || !strings.Contains(got.Advice, "ollama serve") {
		t.Errorf("got %q, advice %q, want the address and how to start it", got.Err, got.Advice)
	}
}

func TestStillLoading(t *testing.T) {
	t.Parallel()
	s := ollamatest.New(t,
		ollamatest.Reply{Status: 503},
		ollamatest.Reply{Status: 500, Error: "llm server loading model"},
		ollamatest.Reply{Text: "Hello, you."})
	got := try(t, s.URL, "Hello")
	if got.Stop != loop.StopFinal || got.Answer != "Hello, you." || len(got.retries) != 2 || got.retries[0].Retry.Delay <= 0 {
		t.Errorf("ended as %s (%v) with %q after %d retries, want the answer after 2", got.Stop, got.Err, got.Answer, len(got.retries))
	}
}

// A stream without its last line is broken, and nothing in it counts.
func TestBrokenStream(t *testing.T) {
	for name, text := range map[string]string{"text": "Hello, y", "a complete call": noteCall} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := ollamatest.New(t, ollamatest.Reply{Text: text, Broken: true})
			got := try(t, s.URL, "Hello")
			if got.Stop != loop.StopModelError || len(got.ran) != 0 || got.Answer == text {
				t.Errorf("ended as %s with %q, ran %q", got.Stop, got.Answer, got.ran)
			}
			if n := len(s.Chats()); n < 2 || n > 4 {
				t.Errorf("%d requests, want a few", n)
			}
		})
	}
}

func TestErrorLine(t *testing.T) {
	s := ollamatest.New(t, ollamatest.Reply{Text: "Hello, y", Error: "the GPU fell off the bus"})
	got := try(t, s.URL, "Hello")
	if got.Stop != loop.StopModelError || !strings.Contains(got.Err.Error(), "fell off the bus") || got.Answer == "Hello, y" {
		t.Errorf("ended as %s (%v) with %q, want the error", got.Stop, got.Err, got.Answer)
	}
}

// Every request has a window, a system message and the user's, and asks for
// nothing that a plain model cannot do: the server would refuse.
func TestPlainRequests(t *testing.T) {
	s := ollamatest.New(t, ollamatest.Reply{Text: noteCall}, ollamatest.Reply{Text: "Done."})
	if got := try(t, s.URL, "Hello"); got.Stop != loop.StopFinal || len(got.ran) != 1 {
		t.Fatalf("ended as %s (%v), ran %q", got.Stop, got.Err, got.ran)
	}
	for i, r := range s.Chats() {
		if r.Options["num_ctx"] == nil || r.Field("tools") != "" || r.Field("think") != "false" {
			t.Errorf("request %d: %s", i, r.Body)
		}
		roles := ""
		for _, m := range r.Messages {
			roles += string(m.Role[0])
		}
		if want := "su" + strings.Repeat("au", i); roles != want {
			t.Errorf("request %d has roles %s, want %s: %s", i, roles, want, r.Body)
		}
	}
}

// A server that knows nothing of "truncate" cuts the prompt without a word; its
// count tells.
func TestCutPrompt(t *testing.T) {
	s := ollamatest.New(t, ollamatest.Reply{Text: "Hello, you.", Prompt: 2048})
	got := try(t, s.URL, strings.Repeat("a long prompt ", 2000))
	if len(got.warned) == 0 || got.warned[0] != "prompt_cut" {
		t.Errorf("ended as %s (%v), warned %q, want prompt_cut", got.Stop, got.Err, got.warned)
	}
}

func TestNativeCallRuns(t *testing.T) {
	for name, args := range map[string]string{"object": `{"text":"milk"}`, "string": `"{\"text\":\"milk\"}"`} {
		t.Run(name, func(t *testing.T) {
			s := ollamatest.New(t,
				ollamatest.Reply{Calls: json.RawMessage(`[{"function":{"name":"note","arguments":` + args + `}}]`)},
				ollamatest.Reply{Text: "Done."})
			got := try(t, s.URL, "Hello")
			if got.Stop != loop.StopFinal || len(got.ran) != 1 || got.ran[0] != noteArgs {
				t.Errorf("ended as %s (%v), ran %q, want the call", got.Stop, got.Err, got.ran)
			}
		})
	}
}

// A prompt that the server refuses as too long is made shorter, or the run says
// that it does not fit.
func TestRefusedPrompt(t *testing.T) {
	s := ollamatest.New(t, ollamatest.Reply{Text: "Hello, you."})
	s.Models[0].Window = 1024
	got := try(t, s.URL, strings.Repeat("a long prompt ", 2000))
	if got.Stop != loop.StopOverflow && got.Stop != loop.StopUnfit {
		t.Errorf("ended as %s (%v), want that it does not fit", got.Stop, got.Err)
	}
}
