package tools

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestSet(t *testing.T) {
	a, b := &Tool{Name: "a", Run: nothing}, &Tool{Name: "fs:read/x-1.y", Run: nothing}
	s := NewSet(a, b)
	if s.Lookup("a") != a || s.Lookup("fs:read/x-1.y") != b || s.Lookup("A") != nil || s.Lookup("") != nil {
		t.Error("Lookup is not by exact name")
	}
	if got := s.All(); len(got) != 2 || got[0] != a || got[1] != b {
		t.Errorf("All: %v", got)
	}
}

func TestEmptySet(t *testing.T) {
	for _, s := range []*Set{nil, {}} {
		r := s.Do(context.Background(), Call{ID: "1", Name: "x"})
		if r.Status != UnknownTool || r.ID != "1" || r.Name != "x" || r.Text != `there is no tool "x"; there are no tools: answer without` {
			t.Errorf("%+v", r)
		}
		if len(s.All()) != 0 || s.Lookup("x") != nil {
			t.Error("not empty")
		}
	}
}

func nothing(context.Context, Call) (any, error) { return nil, nil }

// A programmer's mistakes are found when a tool is added.
func TestAddPanics(t *testing.T) {
	for _, tt := range []struct {
		name string
		tool Tool
		want string
	}{
		{"no name", Tool{Run: nothing}, `name ""`},
		{"a space in it", Tool{Name: "a b", Run: nothing}, `name "a b"`},
		{"begins with a digit", Tool{Name: "1a", Run: nothing}, `name "1a"`},
		{"too long", Tool{Name: strings.Repeat("a", 65), Run: nothing}, `name "aaa`},
		{"a newline behind it", Tool{Name: "a\n", Run: nothing}, `name "a\n"`},
		{"taken", Tool{Name: "taken", Run: nothing}, `taken added twice`},
		{"no Run", Tool{Name: "a"}, `a has no Run`},
		{"no schema of an object", Tool{Name: "a", Parameters: json.RawMessage(`{"type":"array"}`), Run: nothing}, `parameters of a: want a schema whose type is "object"`},
		{"no JSON", Tool{Name: "a", Parameters: json.RawMessage(`{`), Run: nothing}, `parameters of a: `},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := NewSet(&Tool{Name: "taken", Run: nothing})
			wantPanic(t, tt.want, func() { s.Add(&tt.tool) })
			if len(s.All()) != 1 {
				t.Error("it was added all the same")
			}
		})
	}
}

func wantPanic(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if p, _ := recover().(string); !strings.Contains(p, want) {
			t.Errorf("panic %q, want %q", p, want)
		}
	}()
	f()
}

func TestJSON(t *testing.T) {
	code := 3
	r := Result{
		ID: "2.1", Name: "run_shell", Status: Failed, Text: "<out>\n", Truncated: true, Digest: "d",
		Coerced: []string{"n: \"5\" read as 5"}, ExitCode: &code, Diff: "-a\n+b", Stack: "s", Elapsed: 1500 * time.Millisecond,
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"id":"2.1","name":"run_shell","status":"error","text":"\u003cout\u003e\n","truncated":true,"digest":"d",` +
		`"coerced":["n: \"5\" read as 5"],"exit_code":3,"diff":"-a\n+b","stack":"s","elapsed_ns":1500000000}`
	if string(text) != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	var back Result
	if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(back, r) {
		t.Errorf("%v: read back as %+v", err, back)
	}
	if text, _ := json.Marshal(Result{Name: "x", Status: OK}); string(text) != `{"id":"","name":"x","status":"ok","text":""}` {
		t.Errorf("got %s", text)
	}
}

func TestWords(t *testing.T) {
	type words struct {
		C Class
		A Access
	}
	for _, tt := range []struct {
		words words
		text  string
	}{
		{words{}, `{"C":"exec","A":"exclusive"}`},
		{words{Write, ReadOnly}, `{"C":"write","A":"read_only"}`},
		{words{Read, ReadOnly}, `{"C":"read","A":"read_only"}`},
	} {
		text, err := json.Marshal(tt.words)
		if string(text) != tt.text || err != nil {
			t.Errorf("got %s %v, want %s", text, err, tt.text)
		}
		var back words
		if got := tt.words.C.String() + tt.words.A.String(); !strings.Contains(strings.ReplaceAll(tt.text, `","A":"`, ""), got) {
			t.Errorf("%s is called %s", tt.text, got)
		}
		if err := json.Unmarshal(text, &back); err != nil || back != tt.words {
			t.Errorf("%s read back as %v: %v", text, back, err)
		}
	}
	var c Class
	if err := c.UnmarshalText([]byte("Write")); err == nil || err.Error() != `tools: class "Write", want one of ["exec" "write" "read"]` {
		t.Errorf("got %v", err)
	}
	if _, err := Access(9).MarshalText(); err == nil || Access(9).String() != "access(9)" {
		t.Errorf("got %v, %s", err, Access(9))
	}
}
