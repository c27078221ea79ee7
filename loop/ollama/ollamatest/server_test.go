package ollamatest

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func post(t *testing.T, s *Server, path, body string) (int, string) {
	t.Helper()
	resp, err := http.Post(s.URL+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

const hello = `{"model":"test","messages":[{"role":"user","content":"hello"}]}`

func TestChat(t *testing.T) {
	line := func(content string) string { return line("test", message{Role: "assistant", Content: content}) + "\n" }
	last := lastLine("test", "stop", 5, 2)
	for name, tt := range map[string]struct {
		reply  Reply
		status int
		body   string
	}{
		"text":              {Reply{Text: "Hello you"}, 200, line("Hello") + line(" you") + last + "\n"},
		"counts and reason": {Reply{Finish: "length", Prompt: 7, Output: 9}, 200, lastLine("test", "length", 7, 9) + "\n"},
		"no newline":        {Reply{Text: "Hello you", NoNewline: true}, 200, line("Hello") + line(" you") + last},
		"broken":            {Reply{Text: "Hello", Broken: true}, 200, line("Hello")},
		"error line":        {Reply{Text: "Hello", Error: "no"}, 200, line("Hello") + `{"error":"no"}` + "\n"},
		"status":            {Reply{Status: 503, Error: "busy"}, 503, `{"error":"busy"}`},
		"empty status":      {Reply{Status: 502}, 502, ""},
		"raw lines":         {Reply{Lines: []string{"{", "}"}}, 200, "{\n}\n"},
		"raw status":        {Reply{Status: 502, Lines: []string{"<html>"}}, 502, "<html>"},
	} {
		t.Run(name, func(t *testing.T) {
			s := New(t, tt.reply)
			status, body := post(t, s, "/api/chat", hello)
			if status != tt.status || body != tt.body {
				t.Errorf("got %d %q, want %d %q", status, body, tt.status, tt.body)
			}
		})
	}
}

// The fake refuses what a real server refuses.
func TestRefusals(t *testing.T) {
	long := strings.Repeat("a long prompt ", 2000)
	for name, tt := range map[string]struct {
		body   string
		status int
		want   string
	}{
		"model":    {`{"model":"other","messages":[]}`, 404, "model 'other' not found"},
		"tools":    {`{"model":"test","tools":[{}],"messages":[]}`, 400, "does not support tools"},
		"think":    {`{"model":"test","think":true,"messages":[]}`, 400, "does not support thinking"},
		"no think": {`{"model":"test","think":false,"messages":[]}`, 200, `"done_reason":"load"`},
		"window": {`{"model":"test","truncate":false,"options":{"num_ctx":2048},"messages":[{"role":"user","content":"` + long + `"}]}`,
			400, `\"n_ctx\":2048,\"n_prompt_tokens\":7004`},
		"cut": {`{"model":"test","options":{"num_ctx":2048},"messages":[{"role":"user","content":"` + long + `"}]}`,
			200, `"prompt_eval_count":2048`},
	} {
		t.Run(name, func(t *testing.T) {
			status, body := post(t, New(t), "/api/chat", tt.body)
			if status != tt.status || !strings.Contains(body, tt.want) {
				t.Errorf("got %d %s, want %d %s", status, body, tt.status, tt.want)
			}
		})
	}
}

func TestScriptAndRecord(t *testing.T) {
	s := New(t, Reply{Text: "one"}, Reply{Text: "two"})
	for _, want := range []string{"one", "two", "two"} {
		if _, body := post(t, s, "/api/chat", hello); !strings.Contains(body, want) {
			t.Errorf("got %s, want %s", body, want)
		}
	}
	post(t, s, "/api/show", `{"model":"test"}`)
	if got := len(s.Chats()); got != 3 {
		t.Errorf("%d chats, want 3", got)
	}
	if got := s.Chats()[0].Messages; !cmp.Equal(got, []Message{{Role: "user", Content: "hello"}}) {
		t.Errorf("messages: %v", got)
	}
	if got := s.Chats()[0].Field("model"); got != `"test"` {
		t.Errorf("field: %s", got)
	}
}

func TestReadReplies(t *testing.T) {
	got, err := ReadReplies(strings.NewReader("# a call\n{\"text\":\"a\"}\n\n{\"status\":503,\"error\":\"busy\"}\n"))
	if want := []Reply{{Text: "a"}, {Status: 503, Error: "busy"}}; err != nil || !cmp.Equal(got, want) {
		t.Errorf("got %v %v, want %v", got, err, want)
	}
	if _, err := ReadReplies(strings.NewReader("{}\n{\"txet\":1}")); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("got %v, want an error that names line 2", err)
	}
}
