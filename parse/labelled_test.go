package parse_test

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/localagent/localagent/parse"
)

// A labelled reply is one line of testdata/replies.jsonl or of a corpus: raw
// model output with its right reading.
type labelled struct {
	ID       string
	Model    string
	Category string
	Text     string
	Tools    []labelTool
	Finish   string
	Expect   reading
	Why      string
	Note     string
}

// A reading is what a labelled reply means.
type reading struct {
	Kind          string
	Calls         []labelCall
	FinalContains string    `json:"final_contains"`
	AlsoOK        []reading `json:"also_ok"`
}

type labelCall struct {
	Tool string
	Args json.RawMessage
}

type labelTool struct{ parse.Tool }

// UnmarshalJSON reads a tool that is a bare name or an object.
func (l *labelTool) UnmarshalJSON(b []byte) error {
	if b[0] == '"' {
		return json.Unmarshal(b, &l.Name)
	}
	return json.Unmarshal(b, &l.Tool)
}

// UnmarshalJSON reads a reading that is a bare kind or an object.
func (r *reading) UnmarshalJSON(b []byte) error {
	if b[0] == '"' {
		return json.Unmarshal(b, &r.Kind)
	}
	type plain reading
	return json.Unmarshal(b, (*plain)(r))
}

// readLabelled reads JSON lines, gzip-compressed if the name says so.
func readLabelled(t testing.TB, name string) []labelled {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	var rows []labelled
	for dec := json.NewDecoder(bufio.NewReader(r)); ; {
		var row labelled
		switch err := dec.Decode(&row); err {
		case nil:
			rows = append(rows, row)
		case io.EOF:
			return rows
		default:
			t.Fatalf("%s, row %d: %v", name, len(rows)+1, err)
		}
	}
}

func (l *labelled) options() parse.Options {
	var o parse.Options
	for _, tool := range l.Tools {
		o.Tools = append(o.Tools, tool.Tool)
	}
	return o
}

func (l *labelled) finish() parse.Finish {
	switch l.Finish {
	case "stop":
		return parse.FinishStop
	case "length":
		return parse.FinishLength
	}
	return parse.FinishUnknown
}

// wrong says what is wrong with the reading of l, or "".
func (l *labelled) wrong(r parse.Result) string {
	if fits(l.Expect, r) {
		return ""
	}
	for _, also := range l.Expect.AlsoOK {
		if fits(also, r) {
			return ""
		}
	}
	want := l.Expect.Kind
	for _, c := range l.Expect.Calls {
		want += fmt.Sprintf(" %s%s", c.Tool, compact(c.Args))
	}
	return fmt.Sprintf("%s\n  text %s\n  want %s\n  got  %s",
		cmp.Or(l.Why, l.Note, l.Category), short(l.Text), want, summary(r))
}

// fits reports whether r is the reading want.
func fits(want reading, r parse.Result) bool {
	if kind(r) != want.Kind {
		return false
	}
	switch r.Outcome {
	case parse.Final:
		return len(r.Calls) == 0 && r.Problem == nil && strings.Contains(r.Text, want.FinalContains)
	case parse.Unparseable:
		return len(r.Calls) == 0 && r.Problem != nil
	}
	if len(want.Calls) == 0 {
		return len(r.Calls) > 0
	}
	return sameCalls(want.Calls, r.Calls)
}

func sameCalls(want []labelCall, got []parse.Call) bool {
	if len(want) != len(got) {
		return false
	}
	for i, c := range got {
		if c.Name != want[i].Tool || !sameValue(c.Args, want[i].Args) {
			return false
		}
	}
	return true
}

// sameValue compares two JSON texts: numbers by value, the order of keys left
// aside, everything else exactly.
func sameValue(a, b []byte) bool {
	x, errA := decode(a)
	y, errB := decode(b)
	return errA == nil && errB == nil && reflect.DeepEqual(byValue(x), byValue(y))
}

func decode(b []byte) (v any, err error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	err = dec.Decode(&v)
	return v, err
}

// byValue replaces every number by a form that depends on its value alone.
func byValue(v any) any {
	switch v := v.(type) {
	case json.Number:
		if r, ok := new(big.Rat).SetString(v.String()); ok {
			return r.RatString()
		}
	case []any:
		for i := range v {
			v[i] = byValue(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = byValue(v[k])
		}
	}
	return v
}

func kind(r parse.Result) string {
	switch r.Outcome {
	case parse.Calls:
		return "call"
	case parse.Final:
		return "final"
	}
	return "unparseable"
}

// summary is a result in one line, for people.
func summary(r parse.Result) string {
	var b strings.Builder
	b.WriteString(kind(r))
	if p := r.Problem; p != nil {
		fmt.Fprintf(&b, " %s at %d", p.Reason, p.Offset)
	}
	for _, c := range r.Calls {
		fmt.Fprintf(&b, " %s%s", c.Name, compact(c.Args))
	}
	for _, c := range r.Void {
		fmt.Fprintf(&b, " void:%s%s", c.Name, compact(c.Args))
	}
	if r.Outcome == parse.Final {
		fmt.Fprintf(&b, " %s", short(r.Text))
	}
	return b.String()
}

func compact(b []byte) string {
	var out bytes.Buffer
	if json.Compact(&out, b) != nil {
		return string(b)
	}
	return out.String()
}

// short quotes the beginning and the end of s.
func short(s string) string {
	const head, tail = 200, 80
	if len(s) > head+tail {
		return fmt.Sprintf("%q … %q", s[:head], s[len(s)-tail:])
	}
	return fmt.Sprintf("%q", s)
}
