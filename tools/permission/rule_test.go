package permission

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/localagent/localagent/tools"
)

func TestParseRule(t *testing.T) {
	for _, row := range []struct {
		text string
		want Rule
		form string // "": as the text
	}{
		{"allow exec git log *", Rule{Verdict: Allow, Class: tools.Exec, Pattern: "git log *"}, ""},
		{"deny write .git/**", Rule{Verdict: Deny, Class: tools.Write, Pattern: ".git/**"}, ""},
		{"deny read **/.env", Rule{Verdict: Deny, Class: tools.Read, Pattern: "**/.env"}, ""},
		{"ask exec", Rule{Verdict: Ask, Class: tools.Exec}, ""},
		{"  allow \t exec   ls  -l ", Rule{Verdict: Allow, Class: tools.Exec, Pattern: "ls  -l"}, "allow exec ls  -l"},
		{"allow tool weather", Rule{Verdict: Allow, Tool: "weather"}, ""},
		{"allow weather", Rule{Verdict: Allow, Tool: "weather"}, "allow tool weather"},
		{"deny write_file docs/a b.md", Rule{Verdict: Deny, Tool: "write_file", Pattern: "docs/a b.md"}, ""},
		{"deny tool read x", Rule{Verdict: Deny, Tool: "read", Pattern: "x"}, ""},
		{"allow exec exactly ls | wc -l", Rule{Verdict: Allow, Class: tools.Exec, Pattern: "ls | wc -l", Exact: true}, ""},
		{"allow exec exactly", Rule{Verdict: Allow, Class: tools.Exec, Pattern: "exactly"}, ""},
		{"allow exec grep 'a b' \"c*\" d\\*", Rule{Verdict: Allow, Class: tools.Exec, Pattern: "grep 'a b' \"c*\" d\\*"}, ""},
		{"allow exec find . -exec grep x {} \\;", Rule{Verdict: Allow, Class: tools.Exec, Pattern: "find . -exec grep x {} \\;"}, ""},
	} {
		got, err := ParseRule(row.text, "")
		if err != nil || got != row.want {
			t.Errorf("%q: %s %v", row.text, cmp.Diff(row.want, got), err)
		}
		form := row.form
		if form == "" {
			form = row.text
		}
		if got.String() != form {
			t.Errorf("%q: written as %q, want %q", row.text, got.String(), form)
		}
		if again, err := ParseRule(got.String(), ""); err != nil || again != got {
			t.Errorf("%q does not read back: %v %v", got.String(), again, err)
		}
	}
}

func TestParseRuleErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":               "want allow, ask or deny",
		"exec git log *": `begins with "exec"`,
		"alow exec ls":   `begins with "alow"`,
		"allow":          "want read, write, exec or a tool",
		"deny .git/**":   `".git/**" is neither read, write nor exec`,
		"allow tool":     "want read, write, exec or a tool",
		"deny write a[":  "is no pattern of paths",
		"deny read " + strings.Repeat("{a,aa}", 9): "more than 8 lists in braces",
		"allow exec # ls":                          "has a comment",
		"allow exec ls; rm":                        "; has a meaning of its own",
		"allow exec ls | wc":                       "| has a meaning of its own",
		"allow exec ls > x":                        "> has a meaning of its own",
		"allow exec 'ls":                           "' is not closed",
		"allow exec $CMD x":                        "$ has a meaning of its own",
		"allow exec ls $(pwd)":                     "$ has a meaning of its own",
		"allow exec \"$X\"":                        "$ has a meaning of its own",
		"allow exec `x`":                           "` has a meaning of its own",
		"allow exec find -exec ;":                  "put it in single quotes",
	} {
		r, err := ParseRule(text, "")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want … %s …", text, err, want)
		}
		if r != (Rule{}) {
			t.Errorf("%.40q: a rule beside the error", text)
		}
	}
}

func TestParseRuleAs(t *testing.T) {
	r, err := ParseRuleAs(Allow, "exec git log *", "--allow")
	want := Rule{Verdict: Allow, Class: tools.Exec, Pattern: "git log *", Source: "--allow"}
	if err != nil || r != want {
		t.Errorf("%v %v, want %v", r, err, want)
	}
}

// What a pattern of commands matches, in the sense of an allow rule and of a deny
// rule.
func TestPatterns(t *testing.T) {
	for _, row := range []struct {
		pattern, command string
		allow, deny      bool
	}{
		{"git log", "git log", true, true},
		{"git log", "git log -1", false, true},
		{"git log *", "git log", true, true},
		{"git log *", "git log a b c", true, true},
		{"git * push", "git push", true, true},
		{"git * push", "git a b push", true, true},
		{"git * push", "git push x", false, true},
		{"git log --format=*", "git log --format=%h", true, true},
		{"git log --format=*", "git log --format", false, false},
		{"git log --format=*", "git log --format=a b", false, true},
		{"npm run l*t", "npm run lint", true, true},
		{"npm run l*t", "npm run lt", true, true},
		{"npm run l*t", "npm run lint-fix", false, false},
		{"a*b*c d", "axbxc d", true, true},
		{"a*b*c d", "abc d", true, true},
		{"a*b*c d", "acb d", false, false},
		{"echo '*'", "echo x", false, false},
		{"echo '*'", "echo '*'", true, true},
		{"echo '*'", "echo *", false, false}, // the shell makes names of it
		{"echo \\*", "echo \\*", true, true},
		{"ls a*", "ls a?", false, false},
		{"ls *", "ls a?", true, true},
		{"*", "anything at all", true, true},
		{"RM *", "rm x", false, true},
		{"rm *", "/usr/bin/rm x", false, true},
		{"/usr/bin/rm *", "rm x", false, false},
		{"/usr/bin/rm *", "/usr/bin/rm x", true, true},
		{"test [ ? ]", "test [ \\? ]", true, true},
		{"find * -exec grep *", "find . -exec grep x {} \\;", false, true}, // grep has to be allowed too
		{"find * -exec grep *", "find . -name x", false, false},
		{"echo \"a  b\"", "echo 'a  b'", true, true},
		{"echo a\\ b", "echo 'a b'", true, true},
		{"echo \"\\$x\\y\"", "echo '$x\\y'", true, true},
		{"echo ''", "echo \"\"", true, true},
		{"echo ''", "echo", false, false},
		{"test a = b", "test a = b", true, true},
	} {
		args := commandArgs(row.command)
		allowed := policy(t, "allow exec "+row.pattern).Decide(shellTool, args, false).Verdict == Allow
		denied := policy(t, "deny exec "+row.pattern).Decide(shellTool, args, false).Verdict == Deny
		if allowed != row.allow || denied != row.deny {
			t.Errorf("%q, %q: allow %v deny %v, want %v %v", row.pattern, row.command, allowed, denied, row.allow, row.deny)
		}
	}
}
