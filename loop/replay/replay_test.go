package replay

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/parse"
)

func TestRead(t *testing.T) {
	tests := []struct {
		name, in string
		want     []Reply
		err      string
	}{
		{"text", `{"text":"hi"}`, []Reply{{Text: "hi"}}, ""},
		{"all fields", `{"text":"a","thinking":"b","finish":"length"}`, []Reply{{"a", "b", "length"}}, ""},
		{"an empty reply", `{"text":""}`, []Reply{{}}, ""},
		{"thought alone", `{"thinking":"hm"}`, []Reply{{Thinking: "hm"}}, ""},
		{"comments, blank lines, CRLF", "# demo\r\n\r\n{\"text\":\"x\"}\r\n", []Reply{{Text: "x"}}, ""},
		{"byte order mark", "\xef\xbb\xbf{\"text\":\"x\"}\n", []Reply{{Text: "x"}}, ""},
		{"nothing", "\n\n", nil, "no replies"},
		{"not JSON", "{\"text\":\"x\"}\nhello\n", nil, "line 2: not a reply"},
		{"unknown field", "{\"txt\":\"x\"}", nil, `line 1: not a reply, expecting such as {"text":"It is 42."}: json: unknown field "txt"`},
		{"no text", "{}", nil, "line 1: a reply without text"},
		{"two on a line", `{"text":"a"}{"text":"b"}`, nil, "line 1: more than one value"},
		{"a bracket too many", `{"text":"a"}] {"text":"b"}`, nil, "line 1: more than one value"},
		{"bad finish", "# x\n{\"text\":\"a\",\"finish\":\"done\"}", nil, `line 2: finish "done"`},
		{"line too long", `{"text":"` + strings.Repeat("a", maxLine), nil, "line 1: bufio.Scanner: token too long"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, err := Read(strings.NewReader(tt.in))
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("error %v, want one with %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, m.Replies); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// play collects what one Stream yields.
func play(m *Model) (text, thinking string, done *loop.Done, sizes []int, err error) {
	for c, e := range m.Stream(context.Background(), &loop.Request{}) {
		if e != nil {
			return text, thinking, done, sizes, e
		}
		text += c.Text
		thinking += c.Thinking
		if c.Done != nil {
			done = c.Done
		} else {
			sizes = append(sizes, len(c.Text)+len(c.Thinking))
		}
		if !utf8.ValidString(c.Text) {
			return text, thinking, done, sizes, errors.New("a piece is cut inside a rune")
		}
	}
	return text, thinking, done, sizes, nil
}

func TestStream(t *testing.T) {
	want := Reply{Text: strings.Repeat("größer 漢字 🙂 plain text. ", 20), Thinking: "erst denken"}
	m := &Model{Replies: []Reply{want, {Text: "cut", Finish: "length"}}}
	text, thinking, done, sizes, err := play(m)
	if err != nil || text != want.Text || thinking != want.Thinking {
		t.Fatalf("got %q, %q, %v", text, thinking, err)
	}
	if done == nil || done.Finish != parse.FinishStop {
		t.Errorf("done = %+v, want a stop", done)
	}
	seen := map[int]bool{}
	for _, n := range sizes {
		seen[n] = true
		if n > 10 {
			t.Errorf("a piece of %d bytes", n)
		}
	}
	if len(seen) < 4 {
		t.Errorf("pieces of only %d sizes", len(seen))
	}
	if _, _, done, _, err := play(m); err != nil || done.Finish != parse.FinishLength {
		t.Errorf("second reply: %+v, %v, want a cut one", done, err)
	}
}

func TestRunOut(t *testing.T) {
	m := &Model{Replies: []Reply{{Text: "one"}}, Next: 1}
	_, _, _, _, err := play(m)
	var e *loop.ModelError
	if !errors.As(err, &e) || e.Kind != loop.Fatal || e.Cure == "" {
		t.Fatalf("error %v, want a fatal ModelError with a cure", err)
	}
	if !strings.Contains(err.Error(), "one more reply was asked for than the 1 recorded") {
		t.Errorf("error %q does not say what happened", err)
	}
}

func TestPaceEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), 3500*time.Millisecond)
		defer cancel()
		m := &Model{Replies: []Reply{{Text: strings.Repeat("x", 100)}}, Pace: time.Second}
		pieces := 0
		for _, err := range m.Stream(ctx, &loop.Request{}) {
			if err != nil {
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Fatal(err)
				}
				break
			}
			pieces++
		}
		if pieces != 3 {
			t.Errorf("%d pieces in 3.5 s at one a second, want 3", pieces)
		}
	})
}

func ExampleRead() {
	model, err := Read(strings.NewReader(`
# two replies: a call, then the answer
{"text": "{\"tool\": \"now\", \"args\": {}}"}
{"text": "It is noon."}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 2 {
		for c := range model.Stream(context.Background(), &loop.Request{}) {
			fmt.Print(c.Text)
		}
		fmt.Println()
	}
	// Output:
	// {"tool": "now", "args": {}}
	// It is noon.
}
