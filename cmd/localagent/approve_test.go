package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/tools"
	"github.com/localagent/localagent/tools/permission"
)

var (
	testShell  = &tools.Tool{Name: "run_shell", Class: tools.Exec}
	testReader = &tools.Tool{Name: "read_file", Class: tools.Read}
	testWriter = &tools.Tool{Name: "write_file", Class: tools.Write}
)

func shellCall(command string) loop.PermitRequest {
	args, _ := json.Marshal(map[string]string{"command": command})
	return loop.PermitRequest{Tool: testShell, Call: loop.Call{ID: "1.1", Name: "run_shell", Args: args}}
}

func writeCall(path string) loop.PermitRequest {
	args, _ := json.Marshal(map[string]string{"path": path, "content": "x"})
	return loop.PermitRequest{Tool: testWriter, Call: loop.Call{ID: "1.1", Name: "write_file", Args: args}}
}

func echoOf(r loop.PermitRequest) loop.PermitRequest { r.Call.Echo = true; return r }
func early(r loop.PermitRequest) loop.PermitRequest  { r.Early = true; return r }

// person answers with these lines, then is gone.
func person(lines ...string) (ask asker, asked func() int) {
	n := 0
	return func(context.Context, question) (string, error) {
		n++
		if n > len(lines) {
			return "", errNobody
		}
		return lines[n-1], nil
	}, func() int { return n }
}

func policyOf(t *testing.T, mode permission.Mode, rules ...string) *permission.Policy {
	t.Helper()
	p := &permission.Policy{Mode: mode}
	for _, s := range rules {
		r, err := permission.ParseRule(s, "test")
		if err != nil {
			t.Fatal(err)
		}
		p.Rules = append(p.Rules, r)
	}
	return p
}

var verdictWords = map[loop.Verdict]string{loop.Allowed: "allowed", loop.Forbidden: "forbidden", loop.Refused: "refused", loop.Rejected: "rejected"}

func TestPermit(t *testing.T) {
	read := loop.PermitRequest{Tool: testReader, Call: loop.Call{Name: "read_file", Args: json.RawMessage(`{"path":"x"}`)}}
	for _, row := range []struct {
		name    string
		mode    permission.Mode
		rules   string
		req     loop.PermitRequest
		answers string // with commas
		want    string // verdict, by
		asked   int
	}{
		{"yes", "", "", shellCall("make"), "y", "allowed user", 1},
		{"yes in full", "", "", shellCall("make"), " YES ", "allowed user", 1},
		{"always", "", "", shellCall("make"), "a", "allowed user", 1},
		{"no", "", "", shellCall("make"), "n", "rejected user", 1},
		{"quit", "", "", shellCall("make"), "q", "rejected user", 1},
		{"not clear at first", "", "", shellCall("make"), ",what,y", "allowed user", 3},
		{"never clear", "", "", shellCall("make"), ",,,,,y", "refused nobody", 5},
		{"nobody", "", "", shellCall("make"), "gone", "refused nobody", 2},
		{"a change of a file", "", "", writeCall("x"), "y", "allowed user", 1},
		{"an echo", "", "", echoOf(shellCall("make")), "y", "allowed user", 1},
		{"an echo, unattended", "", "", echoOf(shellCall("make")), "gone", "refused echo", 2},
		{"an echo with all", permission.ModeAll, "", echoOf(shellCall("make")), "n", "rejected user", 1},
		{"an echo with a rule", "", "allow exec make", echoOf(shellCall("make")), "n", "rejected user", 1},
		{"always is no answer for an echo", "", "", echoOf(shellCall("make")), "a,n", "rejected user", 2},
		{"an ask rule with all", permission.ModeAll, "ask exec make", shellCall("make"), "n", "rejected user", 1},
		{"never", permission.ModeNever, "", shellCall("make"), "y", "refused nobody", 0},
		{"an echo with never", permission.ModeNever, "", echoOf(shellCall("make")), "y", "refused echo", 0},
		{"the model still writes", "", "", early(shellCall("make")), "y", "refused nobody", 0},

		// What must not be asked.
		{"a read", "", "", read, "n", "allowed mode", 0},
		{"an echo of a read", "", "", echoOf(read), "n", "allowed mode", 0},
		{"a rule that allows", "", "allow exec make", shellCall("make"), "n", "allowed rule", 0},
		{"a rule that denies", "", "deny exec make", shellCall("make"), "y", "forbidden rule", 0},
		{"an echo that is denied", "", "deny exec make", echoOf(shellCall("make")), "y", "forbidden rule", 0},
		{"all", permission.ModeAll, "", shellCall("make"), "n", "allowed mode", 0},
		{"edits", permission.ModeEdits, "", writeCall("x"), "n", "allowed mode", 0},
		{"an early call that may run", "", "allow exec make", early(shellCall("make")), "n", "allowed rule", 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			var rules []string
			if row.rules != "" {
				rules = strings.Split(row.rules, ",")
			}
			ask, asked := person(strings.Split(row.answers, ",")...)
			a := newApprover(policyOf(t, row.mode, rules...), "/home/u/p", ask)
			p := a.permit(t.Context(), row.req)
			if got := verdictWords[p.Verdict] + " " + p.By; got != row.want || asked() != row.asked {
				t.Errorf("%s after %d questions, want %s after %d (%s)", got, asked(), row.want, row.asked, p.Reason)
			}
			if p.Reason == "" && (p.Verdict == loop.Forbidden || p.Verdict == loop.Refused) {
				t.Error("the model is not told why")
			}
			if a.left() != (row.answers == "q") {
				t.Error("left:", a.left())
			}
		})
	}
}

// "Always" holds for what was seen, and for no neighbour; quit holds for all.
func TestPermitAgain(t *testing.T) {
	ask, asked := person("a", "y", "a", "q")
	a := newApprover(policyOf(t, ""), "/home/u/p", ask)
	for i, row := range []struct {
		req   loop.PermitRequest
		want  loop.Verdict
		asked int
	}{
		{shellCall("go test ./..."), loop.Allowed, 1},
		{shellCall("go test  ./..."), loop.Allowed, 1},
		{shellCall("go test ./x"), loop.Allowed, 2},
		{writeCall("docs/a.md"), loop.Allowed, 3},
		{writeCall("./docs/a.md"), loop.Allowed, 3},
		{writeCall("docs/b.md"), loop.Rejected, 4},
		{shellCall("make"), loop.Rejected, 4},
		{shellCall("go test ./..."), loop.Allowed, 4},
	} {
		if p := a.permit(t.Context(), row.req); p.Verdict != row.want || asked() != row.asked {
			t.Errorf("%d: %s after %d questions", i, verdictWords[p.Verdict], asked())
		}
	}
	want := "approve: ask (reads run, the rest is asked for)\n" +
		"granted for this session; to keep one, add it to rules in [permission] of the config:\n" +
		"  \"allow exec go test ./...\"\n  \"allow write docs/a.md\"\n"
	if got := a.describe(); got != want {
		t.Errorf("described as\n%s\nwant\n%s", got, want)
	}
}

// Calls run in parallel; questions do not. What one answer grants, the others
// need not ask.
func TestPermitOneAtATime(t *testing.T) {
	var open, most, asked atomic.Int32
	ask := func(context.Context, question) (string, error) {
		most.Store(max(most.Load(), open.Add(1)))
		defer open.Add(-1)
		asked.Add(1)
		return "a", nil
	}
	a := newApprover(policyOf(t, ""), "/home/u/p", ask)
	var wg sync.WaitGroup
	for i := range 30 {
		wg.Go(func() {
			if p := a.permit(t.Context(), shellCall(fmt.Sprint("make ", i%3))); p.Verdict != loop.Allowed {
				t.Error(verdictWords[p.Verdict])
			}
		})
	}
	wg.Wait()
	if most.Load() != 1 || asked.Load() != 3 {
		t.Errorf("%d questions at once, %d in all", most.Load(), asked.Load())
	}
}

// The end of a run ends the question, and the wait for one's turn to ask.
func TestPermitCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, _ := io.Pipe()
		ask := func(ctx context.Context, q question) (string, error) { return readAnswer(ctx, in) }
		a := newApprover(policyOf(t, ""), "/home/u/p", ask)
		ctx, cancel := context.WithCancel(t.Context())
		answers := make(chan loop.Permission, 2)
		for range 2 {
			go func() { answers <- a.permit(ctx, shellCall("make")) }()
		}
		synctest.Wait() // one asks, one waits
		cancel()
		for range 2 {
			if p := <-answers; p.Verdict != loop.Refused {
				t.Error(verdictWords[p.Verdict])
			}
		}
		in.Close()
	})
}

// What a person sees.
func TestQuestion(t *testing.T) {
	preview := func(text string, err error) *tools.Tool {
		return &tools.Tool{Name: "write_file", Class: tools.Write,
			Preview: func(context.Context, tools.Call) (string, error) { return text, err }}
	}
	weather := &tools.Tool{Name: "weather", Class: tools.Exec}
	long := strings.Repeat("line\n", 99) + "last"
	for _, row := range []struct {
		name string
		req  loop.PermitRequest
		rule string
		want string
	}{
		{"a command", shellCall("rm -rf build"), "", `
run_shell wants to run a command in /home/u/p
    rm -rf build
asked because: no rule allows rm -rf build (--approve ask)
always means:  allow exec rm -rf build
[y]es once  [a]lways this session  [n]o  [q]uit > `},
		{"a command of several lines", shellCall("make &&\n\tmake install"), "", `
run_shell wants to run a command in /home/u/p
    make &&
    	make install
asked because: no rule allows make (--approve ask)
always means:  exactly this command line
[y]es once  [a]lways this session  [n]o  [q]uit > `},
		{"escapes", shellCall("echo \x1b[2K\r\u202emr\u200b x\xa0y\u00a0z"), "", `
run_shell wants to run a command in /home/u/p
    echo ␛[2K␍\u202emr\u200b x�y\u00a0z
asked because: echo ␛[2K␍\u202emr\u200b x�y\u00a0z: it holds characters that do not belong in a command (--approve ask)
always means:  exactly this command line
[y]es once  [a]lways this session  [n]o  [q]uit > `},
		{"a diff", loop.PermitRequest{Tool: preview("--- a\n+++ a\n-x\n+\x1b[31my\n", nil), Call: loop.Call{Name: "write_file", Args: json.RawMessage(`{"path":"a"}`)}}, "", `
write_file wants to change files in /home/u/p
    --- a
    +++ a
    -x
    +␛[31my
asked because: no rule allows write_file a (--approve ask)
always means:  allow write a
[y]es once  [a]lways this session  [n]o  [q]uit > `},
		{"no preview", loop.PermitRequest{Tool: preview("", errors.New("no such file")), Call: loop.Call{Name: "write_file", Args: json.RawMessage(`{"path":"a"}`)}}, "", `
write_file wants to change files in /home/u/p
    {
      "path": "a"
    }
    (no preview: no such file)
asked because: no rule allows write_file a (--approve ask)
always means:  allow write a
[y]es once  [a]lways this session  [n]o  [q]uit > `},
		{"a program of the user", loop.PermitRequest{Tool: weather, Call: loop.Call{Name: "weather", Args: json.RawMessage(`{"city":"Oslo"}`)}}, "", `
weather wants to run a command in /home/u/p
    {
      "city": "Oslo"
    }
asked because: weather: it is no command line (--approve ask)
always means:  allow tool weather
[y]es once  [a]lways this session  [n]o  [q]uit > `},
		{"an echo", echoOf(shellCall("make")), "", `
run_shell wants to run a command in /home/u/p
    make
asked because: the same call stands in text the model was given: perhaps it is copied and not meant
[y]es once  [n]o  [q]uit > `},
		{"a rule", shellCall("git push"), "ask exec git push", `
run_shell wants to run a command in /home/u/p
    git push
asked because: the rule "ask exec git push" (test) wants a person to allow git push
always means:  allow exec git push
[y]es once  [a]lways this session  [n]o  [q]uit > `},
		{"a long text", loop.PermitRequest{Tool: preview(long, nil), Call: loop.Call{Name: "write_file", Args: json.RawMessage(`{"path":"a"}`)}}, "", `
write_file wants to change files in /home/u/p
` + strings.Repeat("    line\n", 40) + `    … 41 lines are not shown here …
` + strings.Repeat("    line\n", 18) + `    last
asked because: no rule allows write_file a (--approve ask)
always means:  allow write a
[y]es once  [a]lways this session  [n]o  [q]uit  [v]iew all > `},
	} {
		t.Run(row.name, func(t *testing.T) {
			var rules []string
			if row.rule != "" {
				rules = append(rules, row.rule)
			}
			var shown bytes.Buffer
			ask := func(_ context.Context, q question) (string, error) {
				q.show(newScreen(&shown, vars()))
				return "n", nil
			}
			newApprover(policyOf(t, "", rules...), "/home/u/p", ask).permit(t.Context(), row.req)
			if got := shown.String(); got != row.want {
				t.Errorf("got\n%s\nwant\n%s", got, row.want)
			}
		})
	}
}

// A person can see all of a text that was shown cut.
func TestQuestionViewAll(t *testing.T) {
	command := "echo " + strings.Repeat("x", 20000) + "; rm -rf ~; echo " + strings.Repeat("y", 20000)
	var shown []string
	answers := []string{"what", "v", "v", "n"}
	ask := func(_ context.Context, q question) (string, error) {
		var b bytes.Buffer
		q.show(newScreen(&b, vars()))
		shown = append(shown, b.String())
		return answers[len(shown)-1], nil
	}
	if p := newApprover(policyOf(t, ""), "/home/u/p", ask).permit(t.Context(), shellCall(command)); p.Verdict != loop.Rejected {
		t.Error(verdictWords[p.Verdict])
	}
	for i, want := range []string{"bytes are not shown here", "Please answer", "; rm -rf ~;", "Please answer"} {
		if i >= len(shown) || !strings.Contains(shown[i], want) {
			t.Fatalf("question %d does not show %q", i, want)
		}
	}
	if len(shown[0]) > 3*maxShownBytes || strings.Contains(shown[0], "rm -rf ~;") {
		t.Errorf("the first question has %d bytes", len(shown[0]))
	}
}

func TestExcerpt(t *testing.T) {
	for _, row := range []struct {
		name, text string
		cut        bool
	}{
		{"empty", "", false},
		{"as much as is shown", strings.Repeat("x\n", maxShownLines-1) + "x", false},
		{"a line more", strings.Repeat("x\n", maxShownLines) + "x", true},
		{"as many bytes as are shown", strings.Repeat("x", maxShownBytes), false},
		{"a byte more", strings.Repeat("x", maxShownBytes+1), true},
		{"wide characters", strings.Repeat("語", maxShownBytes), true},
		{"no text", strings.Repeat("\xa5", maxShownBytes+1), true},
	} {
		got, cut := excerpt(row.text)
		if cut != row.cut || !cut && got != row.text || cut && !strings.Contains(got, "not shown here") {
			t.Errorf("%s: cut %v, %d bytes", row.name, cut, len(got))
		}
		if !strings.HasPrefix(got, row.text[:min(len(row.text), 30)]) || len(got) > maxShownBytes+100 {
			t.Errorf("%s: %d bytes, from %.40q", row.name, len(got), got)
		}
	}
}

func TestReadAnswer(t *testing.T) {
	in := strings.NewReader("y\r\nrest\n" + strings.Repeat("z", 5000) + "\nend")
	for _, want := range []string{"y", "rest", strings.Repeat("z", maxAnswer)} {
		if got, err := readAnswer(t.Context(), in); got != want || err != nil {
			t.Errorf("%.20q %v, want %.20q", got, err, want)
		}
	}
	if got, err := readAnswer(t.Context(), in); got != "" || err != errNobody {
		t.Errorf("a line that does not end: %q %v", got, err)
	}
}
