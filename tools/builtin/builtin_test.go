package builtin

import (
	"strings"
	"testing"

	"github.com/localagent/localagent/tools"
)

func TestAll(t *testing.T) {
	tests := []struct {
		name     string
		class    tools.Class
		access   tools.Access
		volatile bool
		keep     bool
		preview  bool
	}{
		{name: "list_files", class: tools.Read, access: tools.ReadOnly},
		{name: "read_file", class: tools.Read, access: tools.ReadOnly},
		{name: "search_text", class: tools.Read, access: tools.ReadOnly},
		{name: "count_chars", class: tools.Read, access: tools.ReadOnly, keep: true},
		{name: "calc", class: tools.Read, access: tools.ReadOnly, keep: true},
		{name: "write_file", class: tools.Write, keep: true, preview: true},
		{name: "edit_file", class: tools.Write, keep: true, preview: true},
		{name: "run_shell", class: tools.Exec, volatile: true, preview: true},
	}
	all := All(Options{})
	if len(all) != len(tests) {
		t.Fatalf("%d tools", len(all))
	}
	for i, tt := range tests {
		got := all[i]
		if got.Name != tt.name || got.Class != tt.class || got.Access != tt.access || got.Volatile != tt.volatile ||
			got.Keep != tt.keep || (got.Preview != nil) != tt.preview {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
}

func TestDefault(t *testing.T) {
	set := tools.NewSet(All(Options{})...)
	size := 0
	for _, name := range Default() {
		tool := set.Lookup(name)
		if tool.Class != tools.Read {
			t.Errorf("%s does more than look", name)
		}
		size += len(tool.Signature()) + len("\n")
	}
	if size > 700 { // of the 1,600 bytes that the prompt has
		t.Errorf("the signatures of the default tools have %d bytes", size)
	}
}

// The first line of a description stands in the prompt.
func TestDescriptions(t *testing.T) {
	for _, tool := range All(Options{}) {
		line, _, _ := strings.Cut(tool.Description, "\n")
		if line == "" || len(line) > 85 {
			t.Errorf("%s: %d bytes in %q", tool.Name, len(line), line)
		}
	}
}

func TestNoRoot(t *testing.T) {
	set := tools.NewSet(All(Options{})...)
	calls := map[string]string{
		"list_files":  `{}`,
		"read_file":   `{"path":"a"}`,
		"search_text": `{"pattern":"a"}`,
		"count_chars": `{"path":"a"}`,
		"write_file":  `{"path":"a","content":""}`,
		"edit_file":   `{"path":"a","old":"a","new":"b"}`,
		"run_shell":   `{"command":"true"}`,
	}
	for name, a := range calls {
		r := set.Do(t.Context(), tools.Call{Name: name, Args: []byte(a)})
		if r.Status != tools.Failed || !strings.Contains(r.Text, "no working folder") {
			t.Errorf("%s: %s %s", name, r.Status, r.Text)
		}
	}
	if r := set.Do(t.Context(), tools.Call{Name: "calc", Args: []byte(`{"expr":"6*7"}`)}); r.Text != "42" {
		t.Errorf("calc: %s %s", r.Status, r.Text)
	}
}

// What is no number reaches the model as a word.
func TestCalcWords(t *testing.T) {
	b := newBox(t, nil)
	b.want("calc", args{"expr": "0.1+0.2"}, "0.3")
	b.want("calc", args{"expr": "1/0"}, `"Infinity"`)
	b.want("calc", args{"expr": "-1/0"}, `"-Infinity"`)
	b.want("calc", args{"expr": "0/0"}, `"NaN"`)
	b.want("calc", args{"expr": "2**100"}, "1267650600228229401496703205376")
	b.fails("calc", args{"expr": "9**9**9**9"}, "4,900 digits")
	b.fails("calc", args{}, "expr")
}
