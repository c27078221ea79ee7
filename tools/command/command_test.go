//go:build unix

package command

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/localagent/localagent/tools"
)

func shell(script string) []string { return []string{"sh", "-c", script} }

func do(t *testing.T, ctx context.Context, c Config, call tools.Call) tools.Result {
	t.Helper()
	tool, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	call.Name = c.Name
	return tools.NewSet(tool).Do(ctx, call)
}

func TestResult(t *testing.T) {
	tests := []struct {
		name, script, args string
		want               string
		status             tools.Status
		code               int
	}{
		{"text", "echo hello", "{}", "hello", tools.OK, 0},
		{"arguments on stdin", "cat", `{"a": [1,  2], "b": "x\ny"}`, `{"a":[1,2],"b":"x\ny"}`, tools.OK, 0},
		{"one line", "read -r line; echo $line; cat", "{\n\"a\": 1}", `{"a":1}`, tools.OK, 0},
		{"arguments not read", "echo x", "{}", "x", tools.OK, 0},
		{"no arguments", "cat", "", "{}", tools.OK, 0},
		{"json is compacted", `printf '{\n  "a": 1.10,\n  "b": [ ]\n}\n'`, "{}", `{"a":1.10,"b":[]}`, tools.OK, 0},
		{"digits stay", "echo 12345678901234567890123", "{}", "12345678901234567890123", tools.OK, 0},
		{"no json", "echo '{not json}'", "{}", "{not json}", tools.OK, 0},
		{"nothing", "true", "{}", "no output", tools.OK, 0},
		{"blank lines", "echo; echo >&2", "{}", "no output", tools.OK, 0},
		{"blank lines and a warning", "echo; echo careful >&2", "{}", "no output; on the error stream:\ncareful", tools.OK, 0},
		{"warning", "echo careful >&2; echo x", "{}", "x", tools.OK, 0},
		{"warning alone", "echo careful >&2", "{}", "no output; on the error stream:\ncareful", tools.OK, 0},
		{"failure", "echo no such city >&2; exit 3", "{}", "exit status 3: no such city", tools.Failed, 3},
		{"failure with output", "echo part; echo broke >&2; exit 1", "{}", "exit status 1: broke\noutput:\npart", tools.Failed, 1},
		{"silent failure", "exit 2", "{}", "exit status 2", tools.Failed, 2},
		{"signal", "kill -9 $$", "{}", "exit status 137 (SIGKILL)", tools.Failed, 137},
		{"not UTF-8", `printf 'a\377b'`, "{}", "a\uFFFDb", tools.OK, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := do(t, t.Context(), Config{Name: "t", Command: shell(tt.script)}, tools.Call{Args: json.RawMessage(tt.args)})
			if r.Text != tt.want || r.Status != tt.status || r.ExitCode == nil || *r.ExitCode != tt.code {
				t.Errorf("got %q, %s, %v; want %q, %s, %d", r.Text, r.Status, r.ExitCode, tt.want, tt.status, tt.code)
			}
		})
	}
}

func TestLargeArguments(t *testing.T) {
	args := fmt.Sprintf(`{"text":%q}`, strings.Repeat("x", 1<<20))
	r := do(t, t.Context(), Config{Name: "t", Command: shell("wc -c")}, tools.Call{Args: json.RawMessage(args)})
	if want := fmt.Sprint(len(args) + 1); strings.TrimSpace(r.Text) != want {
		t.Errorf("got %q, want %s", r.Text, want)
	}
	r = do(t, t.Context(), Config{Name: "t", Command: shell("exit 0")}, tools.Call{Args: json.RawMessage(args)})
	if r.Status != tools.OK {
		t.Errorf("a program that reads nothing: %s", r.Text)
	}
}

func TestLongOutput(t *testing.T) {
	for _, room := range []int{0, 20_000, 1000, 200, 50, 1} {
		for _, script := range []string{"seq 1 100000", "head -c 300000 /dev/zero | tr '\\0' x", "seq 1 9000 >&2; seq 1 9000; exit 1"} {
			r := do(t, t.Context(), Config{Name: "t", Command: shell(script)}, tools.Call{Args: json.RawMessage("{}"), MaxBytes: room})
			limit := room
			if room == 0 {
				limit = maxResult
			}
			if len(r.Text) > limit || !r.Truncated {
				t.Errorf("%s with room for %d: %d bytes, truncated %v", script, room, len(r.Text), r.Truncated)
			}
			if room != 50 && room != 1 && !strings.Contains(r.Text, "left out") {
				t.Errorf("%s with room for %d does not say what is left out: %.300s", script, room, r.Text)
			}
		}
	}
}

func TestTimeLimit(t *testing.T) {
	c := Config{Name: "t", Command: shell("echo begun; sleep 60"), Timeout: 200 * time.Millisecond}
	r := do(t, t.Context(), c, tools.Call{Args: json.RawMessage("{}")})
	if r.Status != tools.TimedOut || !strings.Contains(r.Text, "begun") {
		t.Errorf("got %s: %q", r.Status, r.Text)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	kill := make(chan struct{})
	close(kill)
	c := Config{Name: "t", Command: shell("trap '' TERM; sleep 60 & while :; do sleep 1; done"), Kill: kill}
	began := time.Now()
	if r := do(t, ctx, c, tools.Call{Args: json.RawMessage("{}")}); r.Status == tools.OK {
		t.Errorf("got %s: %q", r.Status, r.Text)
	}
	if d := time.Since(began); d > 1900*time.Millisecond {
		t.Errorf("took %v", d)
	}
}

func TestDeclaration(t *testing.T) {
	tests := []struct {
		name string
		c    Config
		want string
	}{
		{"no command", Config{Name: "t"}, "no command"},
		{"empty program", Config{Name: "t", Command: []string{""}}, "no command"},
		{"bad name", Config{Name: "a b", Command: shell("")}, `name "a b"`},
		{"no schema", Config{Name: "t", Command: shell(""), Schema: json.RawMessage(`{`)}, "parameters of t"},
		{"schema of a string", Config{Name: "t", Command: shell(""), Schema: json.RawMessage(`{"type":"string"}`)}, "object"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := New(tt.c); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestNoProgram(t *testing.T) {
	r := do(t, t.Context(), Config{Name: "t", Command: []string{"no-such-program-here"}}, tools.Call{Args: json.RawMessage("{}")})
	if r.Status != tools.Failed || !strings.Contains(r.Text, "no such program in PATH") {
		t.Errorf("got %s: %q", r.Status, r.Text)
	}
}

func TestAccess(t *testing.T) {
	for class, want := range map[tools.Class]tools.Access{tools.Exec: tools.Exclusive, tools.Write: tools.Exclusive, tools.Read: tools.ReadOnly} {
		tool, err := New(Config{Name: "t", Command: shell(""), Class: class})
		if err != nil || tool.Class != class || tool.Access != want {
			t.Errorf("%v: %v, %v", class, tool, err)
		}
	}
}

// The examples for users work.
func TestExamples(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`)
	weather := Config{Name: "weather", Command: []string{"./weather.sh"}, Schema: schema, Dir: "testdata"}
	average := Config{Name: "average", Command: []string{"python3", "average.py"}, Dir: "testdata"}
	tests := []struct {
		c      Config
		args   string
		want   string
		status tools.Status
	}{
		{weather, `{"city":"Oslo"}`, "Oslo: 4 degrees, rain", tools.OK},
		{weather, `{"city":"Atlantis"}`, "exit status 1: no weather for Atlantis; there is Oslo", tools.Failed},
		{average, `{"numbers":[1,2,4.5]}`, `{"average":2.5,"count":3}`, tools.OK},
		{average, `{"numbers":[]}`, "exit status 1: numbers is empty; give at least one", tools.Failed},
	}
	for _, tt := range tests {
		if _, err := exec.LookPath(tt.c.Command[0]); err != nil && tt.c.Command[0] == "python3" {
			t.Log(err)
			continue
		}
		r := do(t, t.Context(), tt.c, tools.Call{Args: json.RawMessage(tt.args)})
		if r.Text != tt.want || r.Status != tt.status {
			t.Errorf("%s %s: got %s %q, want %s %q", tt.c.Name, tt.args, r.Status, r.Text, tt.status, tt.want)
		}
	}
}

func TestPreview(t *testing.T) {
	tool, err := New(Config{Name: "t", Command: []string{"mail", "-s", "hi"}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := tool.Preview(t.Context(), tools.Call{Args: json.RawMessage(`{"to": "x"}`)})
	if want := `["mail" "-s" "hi"] gets {"to":"x"}`; err != nil || got != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}
