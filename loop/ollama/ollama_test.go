package ollama

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/loop/ollama/ollamatest"
	"github.com/localagent/localagent/parse"
)

// A reading is a whole reply.
type reading struct {
	Text, Thinking string
	Calls          []parse.Call
	Loading        bool
	Done           *loop.Done
}

// read collects a reply.
func read(t *testing.T, m *Model, req *loop.Request) (reading, error) {
	t.Helper()
	var r reading
	for c, err := range m.Stream(t.Context(), req) {
		if err != nil {
			return r, err
		}
		if r.Done != nil {
			t.Error("a chunk came after the last one")
		}
		r.Text += c.Text
		r.Thinking += c.Thinking
		r.Calls = append(r.Calls, c.Calls...)
		r.Loading = r.Loading || c.Loading
		r.Done = c.Done
	}
	if r.Done == nil {
		t.Error("the stream ended without a last chunk and without an error")
	}
	return r, nil
}

// known is the model without a question to the server about it.
func known(m *Model) *Model {
	m.info.Store(&Info{})
	return m
}

func ask(text string) *loop.Request {
	return &loop.Request{Messages: []loop.Message{{Role: loop.System, Content: "Be brief."}, {Role: loop.User, Content: text}}}
}

func TestReplies(t *testing.T) {
	done := &loop.Done{Finish: parse.FinishStop, Prompt: 26, Output: 2, Load: time.Millisecond, Eval: time.Millisecond}
	for name, tt := range map[string]struct {
		reply ollamatest.Reply
		want  reading
	}{
		"text": {
			ollamatest.Reply{Text: "Hello, you", Prompt: 26},
			reading{Text: "Hello, you", Done: done},
		},
		"thinking has a channel of its own": {
			ollamatest.Reply{Thinking: "Hmm", Text: "Yes", Prompt: 26},
			reading{Thinking: "Hmm", Text: "Yes", Done: done},
		},
		"last line without newline": {
			ollamatest.Reply{Text: "Hello, you", Prompt: 26, NoNewline: true},
			reading{Text: "Hello, you", Done: done},
		},
		"text in the last line": {
			ollamatest.Reply{Lines: []string{`{"message":{"content":"all"},"done":true,"done_reason":"length","prompt_eval_count":5,"eval_count":1}`}},
			reading{Text: "all", Done: &loop.Done{Finish: parse.FinishLength, Prompt: 5, Output: 1}},
		},
		"empty lines": {
			ollamatest.Reply{Lines: []string{"", `{"message":{"content":"a"}}`, "\r", `{"done":true,"done_reason":"stop"}`}},
			reading{Text: "a", Done: &loop.Done{Finish: parse.FinishStop}},
		},
		"old server without a reason": {
			ollamatest.Reply{Lines: []string{`{"message":{"content":"a"}}`, `{"done":true}`}},
			reading{Text: "a", Done: &loop.Done{}},
		},
		"lines after the last": {
			ollamatest.Reply{Lines: []string{`{"done":true}`, `{"message":{"content":"more"}}`}},
			reading{Done: &loop.Done{}},
		},
		"a long line": {
			ollamatest.Reply{Lines: []string{`{"message":{"content":"` + strings.Repeat("long ", 40_000) + `"}}`, `{"done":true}`}},
			reading{Text: strings.Repeat("long ", 40_000), Done: &loop.Done{}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := ollamatest.New(t, tt.reply)
			got, err := read(t, &Model{Name: "test", Host: s.URL}, ask("Hello"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("reply differs (-want +got):\n%s", diff)
			}
		})
	}
}

// Every way in which a server fails, and what the loop and the user are told.
func TestFaults(t *testing.T) {
	for name, tt := range map[string]struct {
		reply  ollamatest.Reply
		kind   loop.ErrorKind
		status int
		text   string
		cure   string
	}{
		"end without the last line": {ollamatest.Reply{Text: "Hello", Broken: true}, loop.Broken, 0, "broke off", ""},
		"nothing at all":            {ollamatest.Reply{Broken: true}, loop.Broken, 0, "broke off", ""},
		"error line":                {ollamatest.Reply{Text: "Hello", Error: "it hurts"}, loop.Fatal, 0, "it hurts", ""},
		"runner dies in the reply": {
			ollamatest.Reply{Text: "Hello", Error: "an error was encountered while running the model: unexpected EOF"},
			loop.Broken, 0, "unexpected EOF", "--num-ctx",
		},
		"memory runs out in the reply": {
			ollamatest.Reply{Text: "Hello", Error: "model runner has unexpectedly stopped: CUDA error: out of memory"},
			loop.Fatal, 0, "out of memory", "smaller window",
		},
		"window fills up in the reply":   {ollamatest.Reply{Error: "Context size has been exceeded."}, loop.TooLong, 0, "exceeded", "larger window"},
		"repeats itself":                 {ollamatest.Reply{Text: "a a a", Error: "prediction aborted, token repeat limit reached"}, loop.Broken, 0, "repeat", "temperature"},
		"loaded, not answered":           {ollamatest.Reply{Finish: "load"}, loop.Broken, 0, "is loaded or unloaded", ""},
		"unloaded, not answered":         {ollamatest.Reply{Finish: "unload"}, loop.Broken, 0, "is loaded or unloaded", ""},
		"a line that is no JSON":         {ollamatest.Reply{Lines: []string{"<html>", "</html>"}}, loop.Fatal, 0, "no JSON: <html>", "does not answer as an Ollama server"},
		"a line that is cut and no JSON": {ollamatest.Reply{Lines: []string{"<html>"}, NoNewline: true}, loop.Fatal, 0, "no JSON: <html>", ""},
		"a line that is half JSON":       {ollamatest.Reply{Lines: []string{`{"message":{"content":"a`}}, loop.Fatal, 0, `no JSON: {"message"`, ""},
		"a line that is too long":        {ollamatest.Reply{Lines: []string{`{"a":"` + strings.Repeat("a", maxLine) + `"}`}}, loop.Fatal, 0, "longer than 7 MiB", ""},

		"empty 502":       {ollamatest.Reply{Status: 502}, loop.Busy, 502, "an error without a word: Bad Gateway", ""},
		"502 of a proxy":  {ollamatest.Reply{Status: 502, Lines: []string{"<html>", "<h1>Bad</h1>"}}, loop.Busy, 502, "<html> <h1>Bad</h1>", ""},
		"empty 500":       {ollamatest.Reply{Status: 500}, loop.Fatal, 500, "Internal Server Error", ""},
		"queue is full":   {ollamatest.Reply{Status: 503, Error: "server busy, please try again.  maximum pending requests exceeded"}, loop.Busy, 503, "server busy", ""},
		"too many":        {ollamatest.Reply{Status: 429, Error: "slow down"}, loop.Busy, 429, "slow down", ""},
		"gateway timeout": {ollamatest.Reply{Status: 504}, loop.Busy, 504, "Gateway Timeout", ""},
		"still loading":   {ollamatest.Reply{Status: 500, Error: "unexpected server status: llm server loading model"}, loop.Busy, 500, "loading model", ""},
		"runner stopped":  {ollamatest.Reply{Status: 500, Error: "model runner has unexpectedly stopped, this may be due to resource limitations"}, loop.Broken, 500, "unexpectedly stopped", "--num-ctx"},
		"runner is gone":  {ollamatest.Reply{Status: 500, Error: "Post \"http://127.0.0.1:4711/completion\": EOF"}, loop.Broken, 500, "EOF", "log"},
		"no memory":       {ollamatest.Reply{Status: 500, Error: "model requires more system memory (9.0 GiB) than is available (4.1 GiB)"}, loop.Fatal, 500, "9.0 GiB", "smaller model"},
		"sign in":         {ollamatest.Reply{Status: 401, Error: "unauthorized"}, loop.Fatal, 401, "unauthorized", "ollama signin"},
		"bad option":      {ollamatest.Reply{Status: 400, Error: `option "top_k" must be of type integer`}, loop.Fatal, 400, "top_k", ""},
		"old server":      {ollamatest.Reply{Status: 412, Error: "this model requires a newer version of Ollama"}, loop.Fatal, 412, "newer version", "Update Ollama"},
		"not found":       {ollamatest.Reply{Status: 404, Error: `model "test" not found, try pulling it first`}, loop.Fatal, 404, "not found", "ollama pull test"},
		"another server":  {ollamatest.Reply{Status: 404, Lines: []string{"404 page not found"}}, loop.Fatal, 404, "page not found", "does not answer as an Ollama server"},
		"a web server": {ollamatest.Reply{Status: 501, Lines: []string{"<!DOCTYPE HTML>", "<html><head><title>Error response</title></head>", "<p>No POST here."}},
			loop.Fatal, 501, `a web page, "Error response"`, "does not answer as an Ollama server"},
		"cancelled there": {ollamatest.Reply{Status: 499, Error: "request canceled"}, loop.Broken, 499, "canceled", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := ollamatest.New(t, tt.reply)
			_, err := read(t, &Model{Name: "test", Host: s.URL}, ask("Hello"))
			var e *loop.ModelError
			if !errors.As(err, &e) {
				t.Fatalf("got %v, want a loop.ModelError", err)
			}
			if e.Kind != tt.kind || e.Status != tt.status {
				t.Errorf("got kind %q, status %d, want %q, %d: %v", e.Kind, e.Status, tt.kind, tt.status, err)
			}
			if !strings.Contains(err.Error(), tt.text) || !strings.Contains(e.Cure, tt.cure) {
				t.Errorf("got %q with cure %q, want %q, %q", err, e.Cure, tt.text, tt.cure)
			}
			if len(err.Error()) > 2000 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
		})
	}
}

// A server that refuses a prompt says how long it was and what fits.
func TestTooLong(t *testing.T) {
	s := ollamatest.New(t)
	_, err := read(t, &Model{Name: "test", Host: s.URL, NumCtx: 2048}, ask(strings.Repeat("a long prompt ", 1000)))
	var e *loop.ModelError
	if !errors.As(err, &e) || e.Kind != loop.TooLong || e.Prompt != 3510 || e.Window != 2048 {
		t.Fatalf("got %+v, want TooLong with 3510 and 2048 tokens", err)
	}
	if want := "request (3510 tokens) exceeds the available context size (2048 tokens)"; !strings.Contains(err.Error(), want) {
		t.Errorf("got %q, want the runner's own words: %q", err, want)
	}
}

func TestNotFound(t *testing.T) {
	s := ollamatest.New(t)
	_, err := read(t, &Model{Name: "gemma3:4b", Host: s.URL}, ask("Hello"))
	var e *loop.ModelError
	if !errors.As(err, &e) || e.Kind != loop.Fatal || e.Status != 404 || !strings.Contains(e.Cure, "ollama pull gemma3:4b") {
		t.Fatalf("got %v with %+v, want a 404 with the cure", err, e)
	}
}

func TestRetryAfter(t *testing.T) {
	h := http.NewServeMux()
	h.HandleFunc("/api/chat", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	_, err := read(t, &Model{Name: "test", Host: listen(t, h)}, ask("Hello"))
	var e *loop.ModelError
	if !errors.As(err, &e) || e.RetryAfter != 7*time.Second {
		t.Errorf("got %+v, want 7s", e)
	}
}

// Failures below HTTP.
func TestConnections(t *testing.T) {
	for name, tt := range map[string]struct {
		serve func(net.Conn) // nil: nobody listens
		kind  loop.ErrorKind
		text  string
		cure  string
	}{
		"refused":        {nil, loop.Unreachable, "connection refused", "`ollama serve`, or say where it runs with OLLAMA_HOST."},
		"closed at once": {func(net.Conn) {}, loop.Broken, "EOF", "log"},
		"no HTTP":        {func(c net.Conn) { c.Write([]byte("SSH-2.0-OpenSSH\r\n")) }, loop.Fatal, "malformed HTTP", "does not answer as an Ollama server"},
		"cut in the middle of a line": {func(c net.Conn) {
			c.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"message\":"))
		}, loop.Broken, "", ""},
		"cut between lines": {func(c net.Conn) {
			c.Write([]byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1c\r\n{\"message\":{\"content\":\"a\"}}\n\r\n"))
		}, loop.Broken, "unexpected EOF", ""},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			if tt.serve == nil {
				l.Close()
			} else {
				go answer(l, tt.serve)
			}
			m := known(&Model{Name: "test", Host: l.Addr().String()})
			_, err = read(t, m, ask("Hello"))
			var e *loop.ModelError
			if !errors.As(err, &e) || e.Kind != tt.kind {
				t.Fatalf("got %v (%+v), want kind %q", err, e, tt.kind)
			}
			if !strings.Contains(err.Error(), tt.text) || !strings.Contains(e.Cure, tt.cure) {
				t.Errorf("got %q with cure %q, want %q, %q", err, e.Cure, tt.text, tt.cure)
			}
			if tt.kind == loop.Unreachable && !strings.Contains(err.Error(), l.Addr().String()) {
				t.Errorf("%q does not name the address", err)
			}
		})
	}
}

// answer reads one request of each connection and lets serve answer it.
func answer(l net.Listener, serve func(net.Conn)) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		c.Read(make([]byte, 64<<10))
		serve(c)
		c.Close()
	}
}

func listen(t *testing.T, h http.Handler) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: h}
	go s.Serve(l)
	t.Cleanup(func() { s.Close() })
	return l.Addr().String()
}

func TestBadSettings(t *testing.T) {
	for name, tt := range map[string]struct {
		model *Model
		want  string
	}{
		"host":       {&Model{Host: "a:b"}, `the port is "b"`},
		"think":      {known(&Model{Think: "hard"}), `think is "hard", expecting true`},
		"keep-alive": {known(&Model{KeepAlive: "long"}), `keep-alive is "long", expecting a duration`},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := read(t, tt.model, ask("Hello")); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// Cancelling and leaving both close the connection while the server writes.
func TestCancel(t *testing.T) {
	for name, stop := range map[string]func(context.CancelFunc) (leave bool){
		"cancel": func(cancel context.CancelFunc) bool { cancel(); return false },
		"leave":  func(context.CancelFunc) bool { return true },
	} {
		for kind, reply := range map[string]ollamatest.Reply{
			"streaming": {Text: "again ", Endless: true, DelayMS: 1},
			"hanging":   {Text: "again", Hang: true},
		} {
			t.Run(name+" "+kind, func(t *testing.T) {
				s := ollamatest.New(t, reply)
				m := &Model{Name: "test", Host: s.URL}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				var last error
				for _, err := range m.Stream(ctx, ask("Hello")) {
					last = err
					if stop(cancel) {
						break
					}
				}
				if want := map[string]error{"cancel": context.Canceled}[name]; last != want {
					t.Errorf("got %v, want %v", last, want)
				}
				select {
				case <-s.Left():
				case <-time.After(5 * time.Second):
					t.Error("the server still writes")
				}
			})
		}
	}
}

// A cancelled context is told from a server that does not answer.
func TestCancelBeforeAnswer(t *testing.T) {
	held := make(chan struct{})
	defer close(held)
	s := ollamatest.New(t, ollamatest.Reply{Wait: held})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	for _, err := range (&Model{Name: "test", Host: s.URL}).Stream(ctx, ask("Hello")) {
		if err != context.DeadlineExceeded {
			t.Errorf("got %v, want the deadline", err)
		}
	}
}

func TestWindow(t *testing.T) {
	for name, tt := range map[string]struct {
		model  ollamatest.Model
		numCtx int
		loaded bool
		want   int
	}{
		"the model's own":                     {ollamatest.Model{Context: 8192}, 0, false, 8192},
		"a large one is not asked for":        {ollamatest.Model{Context: 131072}, 0, false, 16384},
		"unknown":                             {ollamatest.Model{}, 0, false, 4096},
		"the Modelfile's":                     {ollamatest.Model{Context: 131072, Parameters: "num_ctx    24576\nstop \"a\""}, 0, false, 24576},
		"asked":                               {ollamatest.Model{Context: 8192, Parameters: "num_ctx 2048"}, 4096, false, 4096},
		"asked for more than trained":         {ollamatest.Model{Context: 2048}, 8192, false, 2048},
		"allocated less":                      {ollamatest.Model{Context: 8192, Window: 3072}, 0, true, 3072},
		"not loaded, so nothing is allocated": {ollamatest.Model{Context: 8192, Window: 3072}, 0, false, 8192},
	} {
		t.Run(name, func(t *testing.T) {
			s := ollamatest.New(t, ollamatest.Reply{Text: "Hi"})
			tt.model.Name, tt.model.Capabilities = "test", []string{"completion"}
			s.Models = []ollamatest.Model{{Name: "other", Context: 1}, tt.model}
			m := &Model{Name: "test:latest", Host: s.URL, NumCtx: tt.numCtx}
			if tt.loaded {
				if _, err := read(t, m, ask("Hello")); err != nil {
					t.Fatal(err)
				}
			}
			if got, err := m.Window(t.Context()); err != nil || got != tt.want {
				t.Errorf("got %d %v, want %d", got, err, tt.want)
			}
		})
	}
}

// deaf is a way to a server that knows nothing of one path.
type deaf struct {
	http.RoundTripper
	path string
}

func (d deaf) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path == d.path {
		r.URL.Path = "/nowhere"
	}
	return d.RoundTripper.RoundTrip(r)
}

// What is asked for, and what the model was trained for, hold also when the
// server cannot say what it allocated.
func TestWindowWithoutPS(t *testing.T) {
	s := ollamatest.New(t, ollamatest.Reply{Text: "Hi"})
	s.Models = []ollamatest.Model{{Name: "test", Context: 2048}}
	for numCtx, want := range map[int]int{0: 2048, 1024: 1024, 8192: 2048} {
		m := &Model{Name: "test", NumCtx: numCtx, client: &Client{Host: s.URL, transport: deaf{http.DefaultTransport, "/api/ps"}}}
		if got, err := m.Window(t.Context()); err != nil || got != want {
			t.Errorf("asked for %d: got %d %v, want %d", numCtx, got, err, want)
		}
	}
}
