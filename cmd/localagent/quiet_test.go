//go:build unix

package main

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"github.com/localagent/localagent/loop/ollama/ollamatest"
	"github.com/tidwall/gjson"
)

// Quiet, a run with an answer still tells what changes what its status 0 means, or
// why it is 4.
func TestQuietTells(t *testing.T) {
	for _, c := range []struct {
		name, args string
		status     int
		reply      func(n int, r *ollamatest.Request) ollamatest.Reply
		stderr     string // the only line
		field      string // of the result, set
	}{
		{"whole", "", 0, func(int, *ollamatest.Request) ollamatest.Reply { return ollamatest.Reply{Text: "Done."} }, "", ""},
		{"cut answer", "", 0, func(int, *ollamatest.Request) ollamatest.Reply {
			return ollamatest.Reply{Text: "And so on", Finish: "length"}
		}, "localagent: the answer was cut off by the output limit\n", "cut"},
		{"cut prompt", "", 0, func(int, *ollamatest.Request) ollamatest.Reply {
			return ollamatest.Reply{Text: "Done.", Prompt: 12}
		}, "localagent: the server read 12 of about ", `warnings.#(=="prompt_cut")`},
		{"refused", "-T write_file", 4, func(n int, _ *ollamatest.Request) ollamatest.Reply {
			if n > 0 {
				return ollamatest.Reply{Text: "I could not."}
			}
			return ollamatest.Reply{Text: `{"tool":"write_file","args":{"path":"x","content":"y"}}`}
		}, "localagent: 1 call needed approval and nobody could be asked: ", "refused"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := ollamatest.NewFunc(t, c.reply)
			var stdout, stderr bytes.Buffer
			cmd := exec.Command("localagent", append(strings.Fields(c.args), "-q", "--json", "-H", s.URL, "-m", "test", "go")...)
			cmd.Dir = t.TempDir()
			cmd.Env = homeIn(cmd.Dir)
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			cmd.Run()
			if got := cmd.ProcessState.ExitCode(); got != c.status {
				t.Errorf("status %d, want %d", got, c.status)
			}
			said := stderr.String()
			if !strings.HasPrefix(said, c.stderr) || c.stderr == "" && said != "" || strings.Count(said, "\n") > 1 {
				t.Errorf("stderr %q, want %q", said, c.stderr)
			}
			if c.field != "" && !gjson.GetBytes(stdout.Bytes(), c.field).Exists() {
				t.Errorf("the result has no %s: %s", c.field, stdout.String())
			}
		})
	}
}
