package ollamatest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A Server is a scripted Ollama server. Models, Version and CutsPrompts may be
// changed before the first request. Where that comes from another process, a
// call of [Server.Requests] afterwards makes the change safe.
type Server struct {
	URL     string
	Version string // default "0.33.0"

	// Models are the installed models; by default one, "test", that can
	// neither use tools nor think, trained for 32768 tokens.
	Models []Model

	// CutsPrompts is what servers do that know nothing of "truncate": a
	// prompt over the window is cut without a word, and only the count in the
	// last line tells.
	CutsPrompts bool

	answer func(n int, r *Request) Reply
	left   chan struct{}

	mu       sync.Mutex
	requests []Request
	chats    int
	loaded   map[string]int // window of each model in memory
}

// A Request is one request the server got.
type Request struct {
	Method string          `json:"-"`
	Path   string          `json:"-"`
	Body   json.RawMessage `json:"-"`

	Model    string          `json:"model"`
	Messages []Message       `json:"messages"`
	Options  map[string]any  `json:"options"`
	Format   json.RawMessage `json:"format"`
}

// A Message is a turn of a request.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Field returns a field of the body as raw JSON, "" if it is not there.
func (r Request) Field(name string) string {
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(r.Body, &fields) // no object has no fields
	return string(fields[name])
}

// New starts a server that answers with the replies in turn, then with the
// last one again and again. It is closed with the test.
func New(t testing.TB, replies ...Reply) *Server {
	return NewFunc(t, func(n int, _ *Request) Reply {
		if len(replies) == 0 {
			return Reply{}
		}
		return replies[min(n, len(replies)-1)]
	})
}

// NewFunc starts a server that asks for each reply. n counts the requests to
// /api/chat that it did not refuse by itself, from 0.
func NewFunc(t testing.TB, answer func(n int, r *Request) Reply) *Server {
	t.Helper()
	s := &Server{
		Version: "0.33.0",
		Models:  []Model{{Name: "test", Capabilities: []string{"completion"}, Context: 32768}},
		answer:  answer,
		left:    make(chan struct{}, 1024),
		loaded:  map[string]int{},
	}
	h := httptest.NewServer(s)
	t.Cleanup(func() {
		h.CloseClientConnections()
		h.Close()
	})
	s.URL = h.URL
	return s
}

// Requests returns every request so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Chats returns the requests to /api/chat so far.
func (s *Server) Chats() []Request {
	return slices.DeleteFunc(s.Requests(), func(r Request) bool { return r.Path != "/api/chat" })
}

// Left gets a value whenever a client goes away before its reply ended.
func (s *Server) Left() <-chan struct{} { return s.left }

// ServeHTTP keeps the request and answers it.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client went away
	}
	req := &Request{Method: r.Method, Path: r.URL.Path, Body: body}
	if len(body) > 0 {
		if err := json.Unmarshal(body, req); err != nil {
			fail(w, http.StatusBadRequest, err.Error())
			return
		}
	}
	s.mu.Lock()
	s.requests = append(s.requests, *req)
	s.mu.Unlock()

	switch r.Method + " " + r.URL.Path {
	case "POST /api/chat":
		s.chat(&stream{w: w, done: r.Context().Done(), left: s.left}, req)
	case "POST /api/show":
		s.show(w, req)
	case "GET /api/ps":
		s.ps(w)
	case "GET /api/tags":
		s.tags(w)
	case "GET /api/version":
		respond(w, map[string]string{"version": s.Version})
	default:
		http.NotFound(w, r)
	}
}

func (s *Server) chat(out *stream, req *Request) {
	m, ok := s.model(req.Model)
	if !ok {
		fail(out.w, http.StatusNotFound, notFound(req.Model))
		return
	}
	if why := m.refuses(req); why != "" {
		fail(out.w, http.StatusBadRequest, why)
		return
	}
	window := s.load(m, req)
	if len(req.Messages) == 0 {
		fmt.Fprintln(out.w, lastLine(req.Model, "load", 0, 0))
		return
	}
	prompt := tokens(req.Messages)
	if prompt > window && !s.CutsPrompts && req.Field("truncate") == "false" {
		fail(out.w, http.StatusBadRequest, overflow(prompt, window))
		return
	}

	s.mu.Lock()
	n := s.chats
	s.chats++
	s.mu.Unlock()
	reply := s.answer(n, req)
	if reply.Prompt == 0 {
		reply.Prompt = min(prompt, window)
	}
	out.send(req.Model, reply)
}

func notFound(model string) string { return fmt.Sprintf("model '%s' not found", model) }

// load puts the model into memory and returns its window.
func (s *Server) load(m Model, r *Request) int {
	window := m.Window
	if n, ok := r.Options["num_ctx"].(float64); ok && window == 0 {
		window = int(n)
	}
	if window == 0 {
		window = 4096
	}
	if m.Context > 0 {
		window = min(window, m.Context)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loaded[m.Name] = window
	return window
}

func (s *Server) model(name string) (Model, bool) {
	for _, m := range s.Models {
		if strings.TrimSuffix(m.Name, ":latest") == strings.TrimSuffix(name, ":latest") {
			return m, true
		}
	}
	return Model{}, false
}

// overflow is the text of a prompt that does not fit: JSON of the runner
// inside a string.
func overflow(prompt, window int) string {
	return encode(map[string]any{"error": map[string]any{
		"code":            400,
		"message":         fmt.Sprintf("request (%d tokens) exceeds the available context size (%d tokens), try increasing it", prompt, window),
		"type":            "exceed_context_size_error",
		"n_prompt_tokens": prompt,
		"n_ctx":           window,
	}})
}

// tokens is about what a tokenizer would count: four ASCII bytes a token, one
// token for any other rune, and four for the frame of a message.
func tokens(ms []Message) int {
	n := 0
	for _, m := range ms {
		ascii, other := 0, 0
		for _, r := range m.Content {
			if r < 0x80 {
				ascii++
			} else {
				other++
			}
		}
		n += ascii/4 + other + 4
	}
	return n
}

func respond(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	io.WriteString(w, encode(v))
}

func fail(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	io.WriteString(w, encode(map[string]string{"error": text}))
}
