package ollamatest

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"text/template"
)

// The vocabulary holds no text twice, and the pieces of a script, one after the
// other from its first byte, are its reply.
func TestChain(t *testing.T) {
	s := Scripted{Replies: []string{
		"Sure, let me look.\n\n```json\n{\"tool\":\"calc\",\"args\":{\"expr\":\"6*7\"}}\n```\n",
		"Es gibt 42 Zeichen – 四十二个字。",
		"la la la la la la la la la la la la la la.",
		"",
		"It is 42",
		"It is 42.",
	}}
	for i := range 40 {
		s.Replies = append(s.Replies, fmt.Sprintf(`{"tool":"read_file","args":{"path":"a.txt","offset":%d}}`, i))
	}
	c, err := s.chain()
	if err != nil {
		t.Fatal(err)
	}
	tokens, kinds := c.vocabulary()
	if len(tokens) != len(kinds) {
		t.Errorf("%d tokens, %d kinds", len(tokens), len(kinds))
	}
	seen := map[string]bool{}
	for _, token := range tokens {
		if seen[token] {
			t.Errorf("token %q stands twice", token)
		}
		seen[token] = true
	}
	for i, want := range s.Replies {
		var got strings.Builder
		for token := c.next[c.state[startOf(i)]]; token != endToken; token = c.next[c.state[token]] {
			got.WriteString(c.pieces[token-c.firstPiece()])
		}
		if got.String() != want {
			t.Errorf("reply %d is %q, want %q", i, got.String(), want)
		}
	}
}

func TestChainErrors(t *testing.T) {
	for name, replies := range map[string][]string{
		"none":         nil,
		"too many":     make([]string, maxScripts+1),
		"one byte":     {"a"},
		"a pair":       {"no"},
		"the same one": {"hello", "hello"},
	} {
		if _, err := (Scripted{Replies: replies}).chain(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// The template picks the reply by the number of messages, with a system message
// and without.
func TestTemplate(t *testing.T) {
	tmpl := template.Must(template.New("").Parse(Scripted{Replies: []string{"a", "b", "c"}}.Template()))
	for messages, want := range map[int]int{1: 0, 2: 0, 3: 1, 4: 1, 5: 2, 6: 2, 7: 2, 20: 2} {
		var b strings.Builder
		ms := make([]struct{ Role, Content string }, messages)
		if err := tmpl.Execute(&b, map[string]any{"Messages": ms}); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); !strings.HasSuffix(got, "\n"+string(startRune(want))) {
			t.Errorf("%d messages: the prompt ends in %q, want reply %d", messages, got[len(got)-2:], want)
		}
	}
}

func TestWriteGGUF(t *testing.T) {
	var b bytes.Buffer
	if err := (Scripted{Replies: []string{"Hello, you"}}).WriteGGUF(&b); err != nil {
		t.Fatal(err)
	}
	if got := b.Bytes(); !bytes.HasPrefix(got, []byte("GGUF\x03\x00\x00\x00\x0c\x00\x00\x00")) || len(got)%ggufAlign != 0 {
		t.Errorf("%d bytes that begin with %q", len(got), got[:12])
	}
}
