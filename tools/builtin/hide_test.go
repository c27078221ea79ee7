package builtin

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/localagent/localagent/tools"
)

// What is hidden is neither listed nor searched nor named as what was meant, and
// an edit does not show it; the result says that something was left out.
func TestHidden(t *testing.T) {
	b := newBox(t, map[string]string{
		".env": "KEY=1\n", "a/.env": "KEY=2\n", "a/b": "KEY=3\n", "secret/key": "KEY=4\n", "secret/deep/er": "KEY=5\n",
	})
	var asked []string
	hide := func(tool, start string) func(string) bool {
		asked = append(asked, tool+" "+start)
		return func(p string) bool { return path.Base(p) == ".env" || p == "secret" || path.Dir(p) == "secret" }
	}
	b.set = tools.NewSet(All(Options{Root: mustRoot(t, b.dir), SpillDir: filepath.Join(t.TempDir(), "spill"), Hide: hide})...)
	tests := []struct {
		tool string
		args args
		want string
	}{
		{"list_files", args{}, "a/\na/b\n[left out: 3 entries that a rule keeps from being read]"},
		{"list_files", args{"path": "a"}, "a/b\n[left out: 1 entry that a rule keeps from being read]"},
		{"search_text", args{"pattern": "KEY"}, "a/b:1: KEY=3\n[left out: 3 entries that a rule keeps from being read]"},
		{"read_file", args{"path": "a/nothing"}, "there is no a/nothing; in a there is: a/b"},
		{"edit_file", args{"path": "secret/ke", "old": "x", "new": "y"}, "there is no secret/ke; there is nothing in secret"},
		{"edit_file", args{"path": ".env", "old": "KEY=9", "new": "y"}, ".env is not edited: a rule keeps it from being read, and errors show what is in it"},
		{"edit_file", args{"path": "a/../.env", "old": "KEY=1", "new": "y"}, ".env is not edited: a rule keeps it from being read, and errors show what is in it"},
		{"edit_file", args{"path": "./a/../secret/key", "old": "KEY=9", "new": "y"}, "secret/key is not edited: a rule keeps it from being read, and errors show what is in it"},
		{"edit_file", args{"path": filepath.Join(b.dir, "secret/key"), "old": "KEY=9", "new": "y"}, "secret/key is not edited: a rule keeps it from being read, and errors show what is in it"},
		{"edit_file", args{"path": "secret/deep/er", "old": "KEY=9", "new": "y"}, "secret/deep/er is not edited: a rule keeps it from being read, and errors show what is in it"},
		{"edit_file", args{"path": "a/b", "old": "KEY=3", "new": "y"}, "edited a/b: replaced text in line 1"},
	}
	for _, tt := range tests {
		if got := b.do(tt.tool, tt.args).Text; got != tt.want {
			t.Errorf("%s %v:\n%s\nwant:\n%s", tt.tool, tt.args, got, tt.want)
		}
	}
	if got := strings.Join(asked[:3], ", "); got != "list_files ., list_files a, search_text ." {
		t.Errorf("asked for %s", got)
	}
}

// A link to what is hidden shows no more of it.
func TestHiddenBehindLink(t *testing.T) {
	b := newBox(t, map[string]string{".env": "KEY=1\n"})
	if err := os.Symlink(".env", filepath.Join(b.dir, "link")); err != nil {
		t.Skip(err)
	}
	hide := func(string, string) func(string) bool { return func(p string) bool { return p == ".env" } }
	b.set = tools.NewSet(All(Options{Root: mustRoot(t, b.dir), Hide: hide})...)
	const want = "link is not edited: a rule keeps it from being read, and errors show what is in it"
	if got := b.do("edit_file", args{"path": "link", "old": "KEY=9", "new": "y"}).Text; got != want {
		t.Errorf("got %s", got)
	}
}
