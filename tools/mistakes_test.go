package tools

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestMistakes(t *testing.T) {
	set := NewSet(toolWith(everything, func(c Call) (any, error) {
		if strings.Contains(string(c.Args), "fail") {
			return nil, errors.New("no such file")
		}
		return "fine", nil
	}))
	const (
		short = "Correct arguments look like this: "
		long  = "This mistake was made before. All arguments of t:\n- s: a string, required\n"
		tired = "It failed like this before."
	)
	for _, tt := range []struct {
		name  string
		calls []string // NAME or ARGUMENTS
		last  string   // in the last answer
	}{
		{"once", []string{`{}`}, short},
		{"twice", []string{`{}`, `{}`}, short},
		{"three times", []string{`{}`, `{}`, `{}`}, long},
		{"and again", []string{`{}`, `{}`, `{}`, `{}`}, long},
		{"with other values", []string{`{"s":true}`, `{"s":false}`, `{"s":{}}`}, long},
		{"others between", []string{`{}`, `{"s":true}`, `{}`, `unknown`, `{}`}, long},
		{"other mistakes", []string{`{}`, `{"s":true}`, `{"s":"","n":"x"}`}, short},
		{"a success between", []string{`{}`, `{}`, `{"s":"x"}`, `{}`}, short},
		{"unknown tool", []string{`unknown`, `unknown`}, "\nTools: t"},
		{"unknown tool three times", []string{`unknown`, `unknown`, `unknown`}, "All tools:\n- t(s: string, n?: integer"},
		{"three unknown tools", []string{`a`, `b`, `c`}, "\nTools: t"},
		{"failed twice", []string{`{"s":"fail"}`, `{"s":"fail"}`}, "no such file"},
		{"failed three times", []string{`{"s":"fail"}`, `{"s":"fail"}`, `{"s":"fail 2"}`}, tired},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var m Mistakes
			var r Result
			for _, call := range tt.calls {
				c := Call{Name: call, Mistakes: &m}
				if call[0] == '{' {
					c = Call{Name: "t", Args: json.RawMessage(call), Mistakes: &m}
				}
				r = set.Do(context.Background(), c)
			}
			if !strings.Contains(r.Text, tt.last) || tt.last == "no such file" && r.Text != tt.last {
				t.Errorf("got  %s\nwant %s", r.Text, tt.last)
			}
		})
	}
}

// Without a place to remember them each mistake is the first.
func TestNoMistakes(t *testing.T) {
	set := NewSet(toolWith(everything, echo))
	first := set.Do(context.Background(), Call{Name: "t"}).Text
	for range 5 {
		if r := set.Do(context.Background(), Call{Name: "t"}); r.Text != first {
			t.Fatalf("got %s", r.Text)
		}
	}
}

// What a run remembers is bounded.
func TestMistakesAreBounded(t *testing.T) {
	var m Mistakes
	for i := range 3 * maxMistakes {
		m.again("t", strings.Repeat("x", i%maxMistakes+i/maxMistakes*maxMistakes))
	}
	if len(m.n) > maxMistakes {
		t.Errorf("%d remembered", len(m.n))
	}
}
