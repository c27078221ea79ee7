//go:build unix

package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/localagent/localagent/loop/ollama/ollamatest"
)

// Every reason to stop, reached by the command itself, and its status. What
// people read then is in stops.txtar.
func TestStopStatuses(t *testing.T) {
	type request = ollamatest.Request
	say := func(r ollamatest.Reply) func(int, *request) ollamatest.Reply {
		return func(int, *request) ollamatest.Reply { return r }
	}
	text := func(s string) func(int, *request) ollamatest.Reply { return say(ollamatest.Reply{Text: s}) }
	ramble := strings.Repeat("I ramble on. ", 60)
	count := func(n int, _ *request) ollamatest.Reply {
		return ollamatest.Reply{Text: fmt.Sprintf(`%s{"tool":"calc","args":{"expr":"%d+1"}}`, ramble, n)}
	}
	uselessSummaries := func(n int, r *request) ollamatest.Reply {
		if strings.HasPrefix(r.Messages[0].Content, "You shorten") {
			return ollamatest.Reply{Text: strings.Repeat(ramble, 9)}
		}
		return count(n, r)
	}
	dir := t.TempDir()
	long, control := filepath.Join(dir, "long"), filepath.Join(dir, "control")
	for file, text := range map[string]string{
		long:    strings.Repeat("word ", 1000),
		control: strings.Repeat("\x01", maxReply/5), // six bytes each in a log, where no line has so many
	} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}

	rows := []struct {
		stop      string
		status    int
		args      string
		reply     func(n int, r *request) ollamatest.Reply
		interrupt string // Ctrl-C when a line of this type comes
	}{
		{"final", 0, "", text("Done."), ""},
		{"loop_guard", 3, "", text(`{"tool":"calc","args":{"expr":"1"}}`), ""},
		{"max_steps", 3, "--max-steps 2", count, ""},
		{"budget", 3, "--max-tokens 1000", count, ""},
		{"unparseable", 5, "", text(`{"tool":"calc","args":7}`), ""},
		{"empty", 5, "", text(""), ""},
		{"output_cut", 5, "", say(ollamatest.Reply{Text: `{"tool":"calc","args":{"expr":"1+`, Finish: "length"}), ""},
		{"context_overflow", 5, "--num-ctx 300 -f " + long, text("Never asked."), ""},
		{"context_overflow", 5, "-f " + control, text("Never asked."), ""},
		{"context_unrecoverable", 5, "--num-ctx 2400 --max-steps -1", uselessSummaries, ""},
		{"model_error", 6, "", say(ollamatest.Reply{Error: "the runner has crashed"}), ""},
		{"timeout", 124, "--timeout 200ms", say(ollamatest.Reply{Hang: true}), ""},
		{"aborted_model", 130, "", say(ollamatest.Reply{Text: "The first line.\nAnd half of", Hang: true}), "text"},
		{"aborted_tools", 130, "-T run_shell -y", text(`{"tool":"run_shell","args":{"command":"sleep 60"}}`), "tool_use"},
		{"not_started", 2, "-T no_such_tool", text("Never asked."), ""},
		{"session_error", 1, "--num-ctx 99999999 -f " + control, text("Never asked."), ""},
	}
	left := stopTable(t, "../../docs/exit-codes.md")
	delete(left, "denied") // takes a person: TestNo
	delete(left, "hook")   // takes a program of one's own
	for _, row := range rows {
		delete(left, row.stop)
		t.Run(row.stop, func(t *testing.T) {
			t.Parallel()
			s := ollamatest.NewFunc(t, row.reply)
			s.Models[0].Context = 0 // any window will do
			s.Requests()            // takes the lock of the server: its goroutines see that
			args := append([]string{"-H", s.URL, "-m", "test", "-o", formatStream}, strings.Fields(row.args)...)
			last, results, status := lastOf(t, row.interrupt, append(args, "go")...)
			if results != 1 {
				t.Errorf("%d lines of type result, want one", results)
			}
			if got := gjson.Get(last, "stop").String(); got != row.stop || status != row.status || gjson.Get(last, "exit_code").Int() != int64(status) {
				t.Errorf("status %d, want %d; the last line is %.300s", status, row.status, last)
			}
		})
	}
	for stop := range left {
		t.Errorf("no row for %s", stop)
	}
}

// lastOf runs the command, with a Ctrl-C when a line of that type comes, and
// returns its last line, and how many are of type result.
func lastOf(t *testing.T, interrupt string, args ...string) (last string, results, status int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "localagent", args...)
	cmd.Dir = t.TempDir()
	cmd.Env = homeIn(cmd.Dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewReader(out); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			break
		}
		last = line
		switch gjson.Get(line, "type").String() {
		case "result":
			results++
		case interrupt:
			interrupt = "no more"
			cmd.Process.Signal(os.Interrupt)
		}
	}
	_ = cmd.Wait() // the status says it
	return last, results, cmd.ProcessState.ExitCode()
}
