package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/loop/ollama"
	"github.com/localagent/localagent/loop/ollama/ollamatest"
)

// The whole command against a real server, with models that write exact
// replies. The test is skipped where there is no server; see package
// ollamatest.
func TestRealServer(t *testing.T) {
	s := ollamatest.Start(t)
	t.Run("a call in prose, its result, the answer", func(t *testing.T) { realCall(t, s) })
	t.Run("a reply that is always cut", func(t *testing.T) { realCut(t, s) })
	t.Run("more results than fit", func(t *testing.T) { realCompaction(t, s) })
	t.Run("no such model", func(t *testing.T) { realNotFound(t, s) })
	t.Run("interrupt", func(t *testing.T) { realInterrupt(t, s) })
}

func realCall(t *testing.T, s *ollamatest.Real) {
	const answer = "There are 31 characters in notes.txt."
	s.Create(t, "chatty", ollamatest.Scripted{Replies: []string{
		"Sure, let me look.\n\n```json\n{\"tool\":\"count_chars\",\"args\":{\"path\":\"notes.txt\"}}\n```\n",
		answer,
	}})
	dir := t.TempDir()
	realFile(t, dir, "notes.txt", "Thirty-one characters are here.")
	out := realRun(t, s, dir, "-m", "chatty", "-o", "stream-json", "How many characters are in notes.txt?")
	if out.code != 0 {
		t.Fatalf("exit status %d\n%s", out.code, out.stderr)
	}
	if got := out.lines("tool_use").Get("0.name").String(); got != "count_chars" {
		t.Errorf("the tool that ran is %q\n%s", got, out.stdout)
	}
	if got := out.lines("tool_result").String(); !strings.Contains(got, "31") {
		t.Errorf("the result does not hold the count: %s", got)
	}
	if got := out.lines("result").Get("0.answer").String(); got != answer {
		t.Errorf("the answer is %q, want %q", got, answer)
	}

	// And as people see it.
	out = realRun(t, s, dir, "-m", "chatty", "How many characters are in notes.txt?")
	if out.code != 0 || out.stdout != answer+"\n" {
		t.Errorf("exit status %d, stdout %q, want the answer alone\n%s", out.code, out.stdout, out.stderr)
	}
}

// A model that never closes its call gets it closed by the schema of the last
// fresh request.
func realCut(t *testing.T, s *ollamatest.Real) {
	s.Create(t, "cut", ollamatest.Scripted{Replies: []string{`{"tool":"calc","args":{"expr":"6*7"`, "It is 42."}})
	out := realRun(t, s, t.TempDir(), "-m", "cut", "-o", "stream-json", "How much is 6*7?")
	if out.code != 0 {
		t.Fatalf("exit status %d\n%s\n%s", out.code, out.stderr, out.stdout)
	}
	if got := out.lines("retry"); len(got.Array()) != 2 {
		t.Errorf("retries: %s, want two fresh requests", got)
	}
	call := out.lines("tool_use")
	if len(call.Array()) != 1 || call.Get("0.name").String() != "calc" || call.Get("0.args.expr").String() != "6*7" {
		t.Errorf("calls: %s, want calc of 6*7", call)
	}
	if got := out.lines("tool_result").String(); !strings.Contains(got, "42") {
		t.Errorf("the result does not hold 42: %s", got)
	}
	if got := out.lines("result").Get("0.answer").String(); got != "It is 42." {
		t.Errorf("the answer is %q", got)
	}
}

// A task whose results exceed the window several times over ends with an answer
// or says that it cannot go on; the server never cuts a prompt.
func realCompaction(t *testing.T, s *ollamatest.Real) {
	const (
		window = 16384
		page   = 100 // lines
		pages  = 44
	)
	dir := t.TempDir()
	var text strings.Builder
	for i := range page * pages {
		fmt.Fprintf(&text, "the entry with number %d says nothing that is worth to know\n", i)
	}
	realFile(t, dir, "a.txt", text.String())
	var replies []string
	for i := range pages {
		replies = append(replies, fmt.Sprintf(`{"tool":"read_file","args":{"path":"a.txt","offset":%d}}`, i*page+1))
	}
	s.Create(t, "reader", ollamatest.Scripted{Replies: append(replies, "I have read all of it, and it says nothing.")})

	out := realRun(t, s, dir, "-m", "reader", "--num-ctx", fmt.Sprint(window), "--max-steps", "60", "-o", "stream-json", "Read all of a.txt, page by page.")
	stop := out.lines("result").Get("0.stop").String()
	if stop != "final" && stop != "context_unrecoverable" {
		t.Errorf("the run ended with %q\n%s", stop, out.stderr)
	}
	read := 0
	for _, r := range out.lines("tool_result").Array() {
		read += len(r.Get("output").String())
	}
	tokens := int(float64(read) * tokensPerByte(t, s, "reader", text.String()[:page*60]))
	if tokens < 5*window/2 {
		t.Errorf("the results are about %d tokens, which do not exceed the window several times", tokens)
	}
	if len(out.lines("compact").Array()) == 0 {
		t.Errorf("nothing was compacted\n%s", out.stderr)
	}
	if log := s.Log(); strings.Contains(log, "truncating input prompt") {
		t.Errorf("the server cut a prompt:\n%s", log)
	}
	t.Logf("%s after %d calls with results of about %d tokens, and %d compactions",
		stop, len(out.lines("tool_use").Array()), tokens, len(out.lines("compact").Array()))
}

// tokensPerByte asks the server.
func tokensPerByte(t *testing.T, s *ollamatest.Real, model, text string) float64 {
	t.Helper()
	m := &ollama.Model{Name: model, Host: s.URL}
	req := &loop.Request{Messages: []loop.Message{{Role: loop.User, Content: text}}, MaxOutput: 1}
	for c, err := range m.Stream(t.Context(), req) {
		if err != nil {
			t.Fatal(err)
		}
		if c.Done != nil {
			return float64(c.Done.Prompt) / float64(len(text))
		}
	}
	t.Fatal("no count came")
	return 0
}

func realNotFound(t *testing.T, s *ollamatest.Real) {
	out := realRun(t, s, t.TempDir(), "-m", "nobody", "Hello")
	if out.code != exitBackend || out.stdout != "" || !strings.Contains(out.stderr, "ollama pull nobody") {
		t.Errorf("exit status %d, stdout %q, stderr %q, want %d and how to install it", out.code, out.stdout, out.stderr, exitBackend)
	}
}

// Ctrl-C in the middle of a reply ends the command, and the server's work.
func realInterrupt(t *testing.T, s *ollamatest.Real) {
	s.Create(t, "endless", ollamatest.Scripted{Replies: []string{"one and two and three and four and five and six and seven and "}, Endless: true})
	chats := func() int { return strings.Count(s.Log(), `"/api/chat"`) } // logged when they end
	before := chats()

	cmd := realCommand(s, t.TempDir(), "-m", "endless", "-o", "stream-json", "Count.")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	last, interrupted := "", false
	for sc := bufio.NewScanner(stdout); sc.Scan(); {
		last = sc.Text()
		if !interrupted && gjson.Get(last, "type").String() == "text" {
			interrupted = true
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Error(err)
			}
		}
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitSignal+2 {
		t.Errorf("exit status %d, want %d\n%s", code, exitSignal+2, &stderr)
	}
	if gjson.Get(last, "type").String() != "result" {
		t.Errorf("the last line is %s, want the result", last)
	}
	for range 100 {
		if chats() > before {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("the server still writes:\n%s", s.Log())
}

// A realOutput is what a run of the command left behind.
type realOutput struct {
	stdout, stderr string
	code           int
}

// lines are the JSON lines of one type, as an array.
func (o realOutput) lines(typ string) gjson.Result {
	return gjson.Get(o.stdout, `..#(type=="`+typ+`")#`)
}

// realRun runs the command in a folder to its end.
func realRun(t *testing.T, s *ollamatest.Real, dir string, args ...string) realOutput {
	t.Helper()
	cmd := realCommand(s, dir, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return realOutput{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// realCommand is the command, which TestMain has put into PATH, with a home of
// its own.
func realCommand(s *ollamatest.Real, dir string, args ...string) *exec.Cmd {
	cmd := exec.Command("localagent", args...)
	cmd.Dir = dir
	home := filepath.Join(dir, ".home")
	cmd.Env = append(os.Environ(), "OLLAMA_HOST="+s.URL, "HOME="+home,
		"XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home, "XDG_CACHE_HOME="+home)
	return cmd
}

func realFile(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
