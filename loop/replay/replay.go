// Package replay is a [loop.Model] that plays recorded replies from a file:
// for demonstrations, tests and reports of bugs.
//
// The file holds JSON lines, one reply each, played in order whatever is asked:
//
//	{"text": "{\"tool\": \"calc\", \"args\": {\"expr\": \"6*7\"}}"}
//	{"thinking": "the result is there", "text": "It is 42."}
//	{"text": "{\"tool\": \"calc\", \"args\": {\"expr\": \"1+", "finish": "length"}
//
// Empty lines and lines that begin with # are ignored.
package replay

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"
	"unicode/utf8"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/parse"
)

// maxLine is the longest line of a recording, in bytes.
const maxLine = 16 << 20

// A Reply is one recorded reply: a line of the file.
type Reply struct {
	Text     string `json:"text"`
	Thinking string `json:"thinking,omitempty"`
	Finish   string `json:"finish,omitempty"` // stop (default), length
}

// A Model plays replies in order, in pieces of a few bytes as a server would
// send them. It is for one run at a time.
type Model struct {
	Replies []Reply
	Next    int           // index of the reply that is played next
	Pace    time.Duration // pause behind each piece; 0: none
}

// Read reads JSON lines of replies. Its errors name the line.
func Read(r io.Reader) (*Model, error) {
	m := &Model{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	n := 1
	for ; lines.Scan(); n++ {
		line := bytes.TrimSpace(bytes.TrimPrefix(lines.Bytes(), []byte("\xef\xbb\xbf")))
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		reply, err := readReply(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		m.Replies = append(m.Replies, reply)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", n, err)
	}
	if len(m.Replies) == 0 {
		return nil, errors.New("no replies, expecting JSON lines with a text each")
	}
	return m, nil
}

func readReply(line []byte) (Reply, error) {
	var fields struct {
		Text, Thinking *string
		Finish         string
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&fields); err != nil {
		return Reply{}, fmt.Errorf(`not a reply, expecting such as {"text":"It is 42."}: %w`, err)
	}
	if _, err := dec.Token(); err != io.EOF { // More takes a closing bracket for the end
		return Reply{}, errors.New("more than one value, expecting one reply a line")
	}
	r := Reply{Finish: fields.Finish}
	if fields.Text == nil && fields.Thinking == nil {
		return Reply{}, errors.New("a reply without text")
	}
	if fields.Text != nil {
		r.Text = *fields.Text
	}
	if fields.Thinking != nil {
		r.Thinking = *fields.Thinking
	}
	if _, err := finishOf(r.Finish); err != nil {
		return Reply{}, err
	}
	return r, nil
}

func finishOf(word string) (parse.Finish, error) {
	switch word {
	case "", "stop":
		return parse.FinishStop, nil
	case "length":
		return parse.FinishLength, nil
	}
	return 0, fmt.Errorf("finish %.40q, expecting stop or length", word)
}

// Stream implements [loop.Model]. When the replies have run out it ends with a
// fatal [loop.ModelError].
func (m *Model) Stream(ctx context.Context, req *loop.Request) iter.Seq2[loop.Chunk, error] {
	return func(yield func(loop.Chunk, error) bool) {
		if m.Next >= len(m.Replies) {
			yield(loop.Chunk{}, m.runOut())
			return
		}
		r := m.Replies[m.Next]
		m.Next++
		finish, err := finishOf(r.Finish)
		if err != nil {
			yield(loop.Chunk{}, &loop.ModelError{Err: fmt.Errorf("replay: reply %d: %w", m.Next, err)})
			return
		}
		for c := range r.chunks() {
			if err := m.wait(ctx); err != nil {
				yield(loop.Chunk{}, err)
				return
			}
			if !yield(c, nil) {
				return
			}
		}
		yield(loop.Chunk{Done: &loop.Done{Finish: finish}}, nil)
	}
}

func (m *Model) runOut() error {
	return &loop.ModelError{
		Err:  fmt.Errorf("replay: one more reply was asked for than the %d recorded", len(m.Replies)),
		Cure: "Record another reply, or ask for less than the recording answers.",
	}
}

// wait keeps the pace, as long as the context lasts.
func (m *Model) wait(ctx context.Context) error {
	if m.Pace <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(m.Pace)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// chunks are the thought and the text in pieces.
func (r Reply) chunks() iter.Seq[loop.Chunk] {
	return func(yield func(loop.Chunk) bool) {
		for p := range pieces(r.Thinking) {
			if !yield(loop.Chunk{Thinking: p}) {
				return
			}
		}
		for p := range pieces(r.Text) {
			if !yield(loop.Chunk{Text: p}) {
				return
			}
		}
	}
}

// pieces cuts a text into pieces of one to seven bytes, irregularly but always
// in the same way, and never inside a rune.
func pieces(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := 0; s != ""; i++ {
			k := i % 7
			n := min(1+k*k*5%7, len(s))
			for n < len(s) && !utf8.RuneStart(s[n]) {
				n++
			}
			if !yield(s[:n]) {
				return
			}
			s = s[n:]
		}
	}
}
