package builtin

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestIgnore(t *testing.T) {
	tests := []struct {
		rules   string
		path    string
		dir     bool
		ignored bool
	}{
		{"*.o", "a.o", false, true},
		{"*.o", "x/y/a.o", false, true},
		{"*.o", "a.oo", false, false},
		{"/a.o", "a.o", false, true},
		{"/a.o", "x/a.o", false, false},
		{"x/a.o", "x/a.o", false, true},
		{"x/a.o", "y/x/a.o", false, false},
		{"build/", "build", true, true},
		{"build/", "build", false, false},
		{"build/", "x/build", true, true},
		{"/build/", "x/build", true, false},
		{"build", "build", false, true},
		{"**/logs", "a/b/logs", true, true},
		{"a/**/b", "a/b", false, true},
		{"a/**/b", "a/x/y/b", false, true},
		{"a/**", "a/x", false, true},
		{"a/**", "a/x/y", false, true},
		{"a/**", "a", true, false},
		{"*.log\n!keep.log", "keep.log", false, false},
		{"*.log\n!keep.log", "x.log", false, true},
		{"!keep.log\n*.log", "keep.log", false, true},
		{"# comment", "# comment", false, false},
		{`\#file`, "#file", false, true},
		{`\!file`, "!file", false, true},
		{"a.txt   ", "a.txt", false, true},
		{`a\ `, "a ", false, true},
		{"a.txt\r\n", "a.txt", false, true},
		{"[ab].c", "b.c", false, true},
		{"[!ab].c", "b.c", false, false},
		{"a?c", "abc", false, true},
		{"{a,b}", "a", false, false},
		{"{a,b}", "{a,b}", false, true},
		{"*", "x/y", false, true},
		{"\n\n", "x", false, false},
		{"[", "[", false, false}, // not a pattern
		{"/*\n!/src", "src", true, false},
		{"/*\n!/src", "other", true, true},
	}
	for _, tt := range tests {
		if got := parseIgnore(".", tt.rules).match(tt.path, tt.dir); got != tt.ignored {
			t.Errorf("%q on %q: %v", tt.rules, tt.path, got)
		}
	}
}

// The rules of an inner file hold below its folder and win.
func TestIgnoreNested(t *testing.T) {
	b := newBox(t, map[string]string{
		".gitignore":         "*.log\n/top\n",
		"a.log":              "",
		"top/x":              "",
		"sub/top/x":          "",
		"sub/b.log":          "",
		"sub/keep.log":       "",
		"sub/.gitignore":     "!keep.log\n/only\n",
		"sub/only":           "",
		"sub/in/only":        "",
		"we[i]rd/.gitignore": "x\n",
		"we[i]rd/x":          "",
		"we[i]rd/y":          "",
		"weird/x":            "",
	})
	b.want("list_files", args{"glob": "**/[!.]*"}, `sub/
sub/in/
sub/in/only
sub/keep.log
sub/top/
sub/top/x
we[i]rd/
we[i]rd/y
weird/
weird/x
[left out: 5 entries (node_modules, .gitignore); name it in path to see it]`)
	b.want("list_files", args{"path": "sub", "depth": 1}, `sub/.gitignore
sub/in/
sub/keep.log
sub/top/
[left out: 2 entries (node_modules, .gitignore); name it in path to see it]`)
}

// Random rules leave the same files as git does.
func TestIgnoreLikeGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	files := map[string]string{}
	for _, name := range []string{"a", "b", "ab", "a.o", "b.o", ".a", "x y"} {
		for _, dir := range []string{"", "a.d/", "b/c/", "b/c/a/", "ab.d/b.d/"} {
			if dir != "b/c/" || name != "a" {
				files[dir+name+".f"] = ""
			}
		}
	}
	b := newBox(t, files)
	git := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = b.dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "XDG_CONFIG_HOME="+b.dir)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(args, err)
		}
		return string(out)
	}
	git("init", "-q")
	f := newFolder(Options{Root: mustRoot(t, b.dir)})
	rnd := rand.New(rand.NewPCG(5, 6))
	pieces := []string{"a", "b", "*", "**", "/", "/", ".", "?", "[ab]", "[!a]", "f", "c", "d", "{a,b}", " ", "\\ ", "\\", "!"}
	for range 60 {
		for _, file := range []string{".gitignore", "b/.gitignore"} {
			b.write(file, randomRules(rnd, pieces))
		}
		var got []string
		for n := range f.walker("", maxDepth).nodes(context.Background(), ".") {
			if n.mode.IsRegular() {
				got = append(got, n.path)
			}
		}
		want := strings.FieldsFunc(git("ls-files", "-o", "-z", "--exclude-standard"), func(r rune) bool { return r == 0 })
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("with %q and in b %q\ngot  %q\nwant %q", b.read(".gitignore"), b.read("b/.gitignore"), got, want)
		}
	}
}

func randomRules(rnd *rand.Rand, pieces []string) string {
	var rules strings.Builder
	for range rnd.IntN(4) {
		if rnd.IntN(4) == 0 {
			rules.WriteString("!")
		}
		for range 1 + rnd.IntN(6) {
			rules.WriteString(pieces[rnd.IntN(len(pieces))])
		}
		rules.WriteString("\n")
	}
	return rules.String()
}
