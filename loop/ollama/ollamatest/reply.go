package ollamatest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// A Reply is the answer to one /api/chat request: text in pieces, then the
// line that ends it. The zero value is an empty reply that ended well.
type Reply struct {
	Thinking string          `json:"thinking,omitempty"` // streamed first, in its own field
	Text     string          `json:"text,omitempty"`
	Calls    json.RawMessage `json:"calls,omitempty"` // a native "tool_calls" array, after the text

	Finish string `json:"finish,omitempty"` // done_reason; "": stop
	Prompt int    `json:"prompt,omitempty"` // prompt_eval_count; 0: estimated
	Output int    `json:"output,omitempty"` // eval_count; 0: the number of pieces

	// Status is the HTTP status, 0 meaning 200. With 400 and above the body
	// is Error as the server writes it, or empty.
	Status int `json:"status,omitempty"`
	// Error, under status 200, is a line that stands in place of the last.
	Error string `json:"error,omitempty"`
	// Lines are the whole body, the last line too, in place of all of the
	// above.
	Lines []string `json:"lines,omitempty"`

	Broken    bool `json:"broken,omitempty"`     // the body just ends, without the last line
	NoNewline bool `json:"no_newline,omitempty"` // after the last line
	Endless   bool `json:"endless,omitempty"`    // the pieces come again and again
	Hang      bool `json:"hang,omitempty"`       // after the pieces, nothing more comes
	DelayMS   int  `json:"delay_ms,omitempty"`   // before the headers and before each line

	Wait <-chan struct{} `json:"-"` // the headers are held back until it is closed
}

// ReadReplies reads a script: JSON lines, each a [Reply]. Empty lines and
// lines that begin with # are passed over.
func ReadReplies(r io.Reader) ([]Reply, error) {
	var replies []Reply
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, 16<<20)
	for n := 1; sc.Scan(); n++ {
		line := bytes.TrimSpace(sc.Bytes())
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		var reply Reply
		if err := d.Decode(&reply); err != nil {
			return nil, fmt.Errorf("ollamatest: line %d: %w", n, err)
		}
		replies = append(replies, reply)
	}
	return replies, sc.Err()
}

// lines are the JSON lines of the reply before the last one.
func (r Reply) lines(model string) []string {
	if r.Lines != nil {
		return r.Lines
	}
	var lines []string
	for _, p := range pieces(r.Thinking) {
		lines = append(lines, line(model, message{Role: "assistant", Thinking: p}))
	}
	for _, p := range pieces(r.Text) {
		lines = append(lines, line(model, message{Role: "assistant", Content: p}))
	}
	if r.Calls != nil {
		lines = append(lines, line(model, message{Role: "assistant", ToolCalls: r.Calls}))
	}
	return lines
}

// pieces cuts text as a server would: a few runes at a time.
func pieces(text string) []string {
	const size = 5
	var out []string
	runes := []rune(text)
	for len(runes) > size {
		out = append(out, string(runes[:size]))
		runes = runes[size:]
	}
	if len(runes) > 0 {
		out = append(out, string(runes))
	}
	return out
}

type message struct {
	Role      string          `json:"role"`
	Content   string          `json:"content"`
	Thinking  string          `json:"thinking,omitempty"`
	ToolCalls json.RawMessage `json:"tool_calls,omitempty"`
}

// line is one line of a streamed reply.
func line(model string, m message) string {
	return encode(map[string]any{"model": model, "created_at": created, "message": m, "done": false})
}

// lastLine ends a reply.
func lastLine(model, reason string, prompt, output int) string {
	return encode(map[string]any{
		"model": model, "created_at": created, "message": message{Role: "assistant"},
		"done": true, "done_reason": reason,
		"total_duration": 3_000_000, "load_duration": 1_000_000,
		"prompt_eval_count": prompt, "prompt_eval_duration": 1_000_000,
		"eval_count": output, "eval_duration": 1_000_000,
	})
}

const created = "2026-01-02T03:04:05.6Z"

func encode(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // a bad script is a mistake of the test
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}
