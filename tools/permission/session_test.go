package permission

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/localagent/localagent/tools"
)

// What "always this session" grants, and that it is neither less nor more than
// what was seen: the same call runs, its neighbours are asked for.
func TestOffer(t *testing.T) {
	command := func(s string) string { return string(commandArgs(s)) }
	for _, row := range []struct {
		name      string
		rules     string
		tool      *tools.Tool
		args      string
		offer     string // rules, one a line
		neighbour string
	}{
		{"a command", "", shellTool, command("go test ./..."), "allow exec go test ./...", command("go test ./x")},
		{"its words", "", shellTool, command("go  'test' ./...  "), "allow exec go test ./...", command("go test")},
		{"words with spaces and stars", "", shellTool, command("grep 'a *' b\\*"), "allow exec grep 'a *' 'b*'", command("grep 'a b' bx")},
		{"a dangerous option", "allow exec find *", shellTool, command("find . -delete"), "allow exec find . -delete", command("find / -delete")},
		{"a line", "", shellTool, command("cd x && make | tail -5"), "allow exec exactly cd x && make | tail -5", command("cd x && make")},
		{"a line with one command that is allowed", "allow exec ls", shellTool, command("ls; make"), "allow exec exactly ls; make", command("make")},
		{"a redirection", "", shellTool, command("make > log"), "allow exec exactly make > log", command("make > other")},
		{"a variable", "", shellTool, command("echo $HOME"), "allow exec exactly echo $HOME", command("echo $X")},
		{"a wrapper", "", shellTool, command("timeout 60 make"), "allow exec exactly timeout 60 make", command("timeout 60 ls")},
		{"a substitution", "", shellTool, command("echo $(date)"), "allow exec exactly echo $(date)", command("echo $(pwd)")},
		{"what does not parse", "", shellTool, command("ls )"), "allow exec exactly ls )", command("ls ) )")},
		{"what a deny rule may forbid", "deny exec rm *", shellTool, command("$X y"), "allow exec exactly $X y", command("$X z")},
		{"several lines", "", shellTool, command("make\nmake install"), "allow exec exactly make\nmake install", command("make\nmake clean")},
		{"a file", "", writeTool, `{"path":"docs/a.md","content":"x"}`, "allow write docs/a.md", `{"path":"docs/b.md","content":"x"}`},
		{"its name", "", writeTool, `{"path":"./docs//a.md","content":"x"}`, "allow write docs/a.md", `{"path":"docs"}`},
		{"a file with stars", "", writeTool, `{"path":"a[1]*{x}","content":"x"}`, `allow write a\[1]\*\{x\}`, `{"path":"a1x"}`},
		{"a file outside", "", writeTool, `{"path":"/tmp/x"}`, "allow write /tmp/x", `{"path":"/tmp/y"}`},
		{"two files", "", moveTool, `{"from":"a","to":"b"}`, "allow write a\nallow write b", `{"from":"a","to":"c"}`},
		{"a tool without a file", "", noteTool, `{"text":"x"}`, "allow tool note", ""},
		{"a tool without a command", "", weather, `{"city":"Oslo"}`, "allow tool weather", ""},
		{"a list of words", "", argvTool, `{"command":["make","a b"]}`, "allow exec make 'a b'", `{"command":["make"]}`},
		{"nothing for what a rule wants asked", "ask exec make all", shellTool, command("make all"), "allow exec make all", command("make")},
		{"nothing for what is denied", "deny exec make", shellTool, command("make"), "", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := &Session{Policy: policy(t, lines(row.rules)...)}
			rules := s.Offer(row.tool, json.RawMessage(row.args))
			var texts []string
			for _, r := range rules {
				texts = append(texts, r.String())
				if again, err := ParseRule(r.String(), SourceSession); err != nil || again.String() != r.String() {
					t.Errorf("%q does not read back: %q, %v", r.String(), again.String(), err)
				}
			}
			if got := strings.Join(texts, "\n"); got != row.offer {
				t.Fatalf("offers %q, want %q", got, row.offer)
			}
			if rules == nil {
				return
			}
			s.Grant(rules...)
			if d := s.Decide(row.tool, json.RawMessage(row.args), false); d.Verdict != Allow || d.By != "session" {
				t.Errorf("granted, but %s by %s: %s", d.Verdict, d.By, d.Why)
			}
			if row.neighbour == "" {
				return
			}
			if d := s.Decide(row.tool, json.RawMessage(row.neighbour), false); d.Verdict != Ask {
				t.Errorf("%s: %s by %s: %s", row.neighbour, d.Verdict, d.By, d.Why)
			}
		})
	}
}

// A grant is no leave for what comes after it by other rules.
func TestGrantKeeps(t *testing.T) {
	s := &Session{Policy: policy(t, "deny exec rm *")}
	s.Grant(Rule{Verdict: Allow, Class: tools.Exec, Source: SourceSession})
	if d := s.Decide(shellTool, commandArgs("rm x"), false); d.Verdict != Deny {
		t.Errorf("denied before, now %s", d.Verdict)
	}
	if d := s.Decide(shellTool, commandArgs("make"), true); d.Verdict != Ask || d.By != "echo" {
		t.Errorf("an echo: %s by %s", d.Verdict, d.By)
	}
	if d := s.Decide(shellTool, commandArgs("make"), false); d.Verdict != Allow {
		t.Errorf("granted, but %s", d.Verdict)
	}
	if got := s.Granted(); len(got) != 1 || len(s.Policy.Rules) != 1 {
		t.Errorf("granted %v, rules %v", got, s.Policy.Rules)
	}
}

func TestSessionConcurrently(t *testing.T) {
	s := &Session{}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				s.Decide(shellTool, commandArgs("make"), false)
				s.Grant(s.Offer(shellTool, commandArgs("make"))...)
				s.Granted()
			}
		})
	}
	wg.Wait()
	if d := s.Decide(shellTool, commandArgs("make"), false); d.Verdict != Allow {
		t.Error(d.Why)
	}
}
