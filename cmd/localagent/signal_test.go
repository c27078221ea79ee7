//go:build unix

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// A signalRun is the command with a tool that runs for long.
type signalRun struct {
	*exec.Cmd
	dir            string
	stdout, stderr bytes.Buffer
}

// startTool runs the command until its tool, a shell script, has written its
// process id.
func startTool(t *testing.T, script string, args ...string) (run *signalRun, pid int) {
	t.Helper()
	dir := t.TempDir()
	call := fmt.Sprintf(`{"tool":"run_shell","args":{"command":%q}}`, "echo begun; echo $$ > pid.new; mv pid.new pid; "+script)
	writeReplies(t, filepath.Join(dir, "replies.jsonl"), call, "Done.")
	run = &signalRun{dir: dir}
	run.Cmd = exec.Command("localagent", append([]string{
		"-C", dir, "-y", "-T", "run_shell", "-m", "replay:" + filepath.Join(dir, "replies.jsonl")}, append(args, "go")...)...)
	run.Env = homeIn(dir)
	run.Stdout, run.Stderr = &run.stdout, &run.stderr
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { run.Process.Kill() })
	for range 1000 {
		if b, err := os.ReadFile(filepath.Join(dir, "pid")); err == nil {
			pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
			if err != nil {
				t.Fatal(err)
			}
			return run, pid
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("the tool did not start: %s", run.stderr.String())
	return nil, 0
}

func (r *signalRun) status(t *testing.T) int {
	t.Helper()
	err := r.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return r.ProcessState.ExitCode()
}

// alive says whether a process is there and no zombie.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !strings.Contains(string(b), ") Z ")
}

// The first interrupt asks politely: the tool is ended, what it printed is
// recorded, and the status says what happened.
func TestInterrupt(t *testing.T) {
	for _, c := range []struct {
		name   string
		sig    os.Signal
		status int
	}{{"Ctrl-C", os.Interrupt, 130}, {"TERM", syscall.SIGTERM, 143}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			run, pid := startTool(t, "sleep 60", "-o", "stream-json")
			run.Process.Signal(c.sig)
			if got := run.status(t); got != c.status {
				t.Errorf("status %d, want %d; %s", got, c.status, run.stderr.String())
			}
			if alive(pid) {
				t.Errorf("the tool is still there")
			}
			out := run.stdout.String()
			if got := gjson.Get(out, `..#(type=="tool_result").status`).String(); got != "aborted" {
				t.Errorf("the tool's result is %q", got)
			}
			if got := gjson.Get(out, `..#(type=="tool_result").output`).String(); !strings.Contains(got, "begun") {
				t.Errorf("its output is lost: %q", got)
			}
			last := out[strings.LastIndex(strings.TrimSpace(out), "\n")+1:]
			if gjson.Get(last, "type").String() != "result" || gjson.Get(last, "exit_code").Int() != int64(c.status) || gjson.Get(last, "status").String() != "interrupted" {
				t.Errorf("the last line is %s", last)
			}
		})
	}
}

// The second interrupt ends at once what does not listen: well before the ladder
// of the first one does, which takes two seconds. A machine may be too busy to
// show it at the first try.
func TestSecondInterrupt(t *testing.T) {
	var took time.Duration
	for range 3 {
		if took = secondInterrupt(t); took < 1900*time.Millisecond {
			return
		}
	}
	t.Errorf("it took %v", took)
}

// secondInterrupt interrupts a run twice, checks that nothing is left, and
// returns how long it took to end.
func secondInterrupt(t *testing.T) time.Duration {
	t.Helper()
	run, pid := startTool(t, `trap "" TERM INT; while :; do sleep 0.1; done`)
	began := time.Now()
	run.Process.Signal(os.Interrupt)
	time.Sleep(200 * time.Millisecond)
	run.Process.Signal(os.Interrupt)
	if got := run.status(t); got != 130 {
		t.Errorf("status %d, want 130", got)
	}
	took := time.Since(began)
	for range 100 {
		if !alive(pid) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if alive(pid) {
		t.Errorf("the tool is still there")
	}
	if run.stdout.Len() > 0 || strings.Contains(run.stderr.String(), "goroutine") {
		t.Errorf("stdout %q, stderr %q", run.stdout.String(), run.stderr.String())
	}
	return took
}

// A reader of stdout that goes away ends the run quietly, and its tools.
func TestClosedPipe(t *testing.T) {
	dir := t.TempDir()
	writeReplies(t, filepath.Join(dir, "replies.jsonl"), `{"tool":"run_shell","args":{"command":"sleep 0.2"}}`, `{"tool":"run_shell","args":{"command":"sleep 60"}}`)
	cmd := exec.Command("localagent", "-q", "-C", dir, "-y", "-T", "run_shell", "-o", "stream-json", "-v", "-m", "replay:"+filepath.Join(dir, "replies.jsonl"), "go")
	cmd.Env = homeIn(dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	out.Close()
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitPipe {
		t.Errorf("status %d, want %d", code, exitPipe)
	}
	if stderr.Len() > 0 {
		t.Errorf("stderr %q", stderr.String())
	}
}

// parse of very much, read by head.
func TestParseClosedPipe(t *testing.T) {
	needs(t, "bash")
	sh := exec.Command("bash", "-c", `yes '{"id":1,"text":"hello"}' | head -200000 | localagent parse --jsonl | head -1; echo "status ${PIPESTATUS[2]}"`)
	var stderr bytes.Buffer
	sh.Stderr = &stderr
	out, err := sh.Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := string(out); !strings.HasPrefix(got, `{"id":1,`) || !strings.HasSuffix(got, fmt.Sprintf("status %d\n", exitPipe)) || stderr.Len() > 0 {
		t.Errorf("stdout %q, stderr %q", got, stderr.String())
	}
}
