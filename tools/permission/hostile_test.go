package permission

import (
	"strings"
	"testing"
)

// Sizes that no person writes: everything ends, without much time or memory, and
// what cannot be looked through is not allowed.
func TestHostileSizes(t *testing.T) {
	rep := strings.Repeat
	p := policy(t, tableRules...)
	for name, row := range map[string]struct{ command, want string }{
		"a million brackets":     {rep("(", 1<<20), "ask"},
		"brackets":               {rep("( ", 400) + "ls" + rep(" )", 400), "allow"},
		"too many brackets":      {rep("( ", 8000) + "ls" + rep(" )", 8000), "ask"},
		"brackets behind quotes": {rep("( ')';", 5000) + "ls" + rep(" )", 1000), "ask"},
		"arithmetic":             {"echo $((" + rep("(", 10000) + "1" + rep(")", 10000) + "))", "ask"},
		"substitutions":          {rep("echo $(", 400) + "rm x" + rep(")", 400), "deny"},
		"too many substitutions": {rep("echo $(", 4000) + "rm x" + rep(")", 4000), "ask"},
		"scripts in scripts":     {"sh -c " + rep("sh -c ", 4000) + "'rm x'", "ask"},
		"wrappers":               {rep("nohup ", 100) + "rm x", "deny"},
		"too many wrappers":      {rep("nohup ", 5000) + "rm x", "ask"},
		"wrappers of no use":     {rep("xargs -Z ", 3000), "ask"},
		"evals":                  {rep("eval ls; ", 100), "ask"},
		"words":                  {"cat " + rep("a ", 8000), "allow"},
		"too many words":         {"cat " + rep("a ", 9000), "ask"},
		"commands":               {rep("ls;", 2000), "allow"},
		"a long word":            {"cat " + rep("a/", 15000), "allow"},
		"a word of many names":   {"cat " + rep("a=", 15000), "allow"},
		"a word of many stars":   {"cat " + rep("x*", 10000), "allow"},
		"variables":              {"cat " + rep("$x ", 5000), "allow"},
		"a word of variables":    {"cat " + rep("a=$x", 7000), "ask"},
		"unknown programs":       {rep("$x a;", 5000), "ask"},
		"quotes":                 {"cat '" + rep(`"a"`, 10000) + "'", "allow"},
		"assignments":            {rep("a=b ", 7000) + "ls", "ask"},
		"braces":                 {"cat " + rep("{a,b}", 5000), "ask"},
		"many braces":            {rep("cat {a,b}; ", 2000), "allow"},
		"braces in braces":       {"cat " + rep("{a,", 400) + rep("}", 400), "ask"},
		"folders":                {rep("cd a;", 500) + "ls > out/x", "ask"},
		"a long here-document":   {"cat <<'E'\n" + rep("line\n", 5000) + "E", "allow"},
		"a longer one":           {"cat <<'E'\n" + rep("line\n", 10000) + "E", "ask"},
		"the same, with a rm x":  {"cat <<'E'\n" + rep("line\n", 5000) + "E\nrm x", "deny"},
	} {
		d := p.Decide(shellTool, commandArgs(row.command), false)
		if d.Verdict.String() != row.want {
			t.Errorf("%s: %s, want %s (%s)", name, d.Verdict, row.want, shorten(d.Why))
		}
		if n := len(d.Why); n > 1000 {
			t.Errorf("%s: a reason of %d bytes", name, n)
		}
	}
}
