package permission

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// Rules hold for every name of a file, and for what a link leads to.
func TestLinks(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "real")
	for _, d := range []string{"docs", "secrets/deep", "src"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{
		"plain":     "secrets/key",   // dangles: it would be made
		"folder":    "secrets",       // a folder
		"deep":      "secrets/deep",  // not where deep/.. seems to lead
		"docs/in":   "../src",        // out of what is allowed
		"out":       "/etc",          // out of the working folder
		"loop":      "loop",          // nowhere
		"chain":     "folder",        // over another link
		"../linked": dir,             // the working folder by another name
		"back":      "../linked/src", // through it
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	for _, row := range []struct{ dir, path, want string }{
		{dir, "secrets/key", "deny"},
		{dir, "plain", "deny"},
		{dir, "folder/key", "deny"},
		{dir, "folder/new/key", "deny"},
		{dir, "chain/key", "deny"},
		{dir, "deep/../key", "deny"},
		{dir, "docs/../folder/key", "deny"},
		{dir, dir + "/secrets/key", "deny"},
		{dir, dir + "/../linked/secrets/key", "deny"},
		{dir + "/../linked", "secrets/key", "deny"},
		{dir + "/../linked", "folder/key", "deny"},
		{dir + "/../linked", dir + "/secrets/key", "deny"},
		{dir, "docs/x", "allow"},
		{dir, "docs/new/x", "allow"},
		{dir, dir + "/docs/x", "allow"},
		{dir + "/../linked", "docs/x", "allow"},
		{dir, "docs/in/x", "ask"},
		{dir, "docs/../src/x", "ask"},
		{dir, "out/passwd", "ask"},
		{dir, "loop", "ask"},
		{dir, "back/x", "ask"},
		{dir, "", "ask"},
	} {
		p := policy(t, "deny write secrets/**", "allow write docs/**")
		p.Dir = row.dir
		args, _ := json.Marshal(map[string]string{"path": row.path})
		if d := p.Decide(writeTool, args, false); d.Verdict.String() != row.want {
			t.Errorf("%q from %q: %s, want %s (%s)", row.path, row.dir, d.Verdict, row.want, d.Why)
		}
	}
	// What cannot be seen by its name is seen by the shell's words too.
	p := policy(t, "deny read secrets/**", "allow exec cat *")
	p.Dir = dir
	if d := p.Decide(shellTool, commandArgs("cat folder/key"), false); d.Verdict != Deny {
		t.Errorf("cat folder/key: %s (%s)", d.Verdict, d.Why)
	}
	// Edits through a link that leads out are not edits of the working folder.
	p = &Policy{Mode: ModeEdits, Dir: dir}
	if d := p.Decide(writeTool, json.RawMessage(`{"path":"out/x"}`), false); d.Verdict != Ask {
		t.Errorf("out/x: %s (%s)", d.Verdict, d.Why)
	}
}

func TestHome(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	for _, row := range []struct{ rule, command, want string }{
		{"deny read ~/.ssh/**", "cat ~/.ssh/id", "deny"},
		{"deny read ~/.ssh/**", "cat " + home + "/.ssh/id", "deny"},
		{"deny read ~/.ssh/**", "cat $HOME/.ssh/id", "ask"},
		{"deny read ~/.ssh/**", "cat .ssh/id", "allow"},
		{"deny read " + home + "/.ssh/**", "cat ~/.ssh/id", "deny"},
		{"deny read **/.ssh/**", "cat ~/.ssh/id", "deny"},
		{"allow write ~/out/**", "ls > ~/out/x", "allow"},
		{"allow write ~/out/**", "ls > out/x", "ask"},
	} {
		p := policy(t, row.rule, "allow exec cat *", "allow exec ls *")
		if d := p.Decide(shellTool, commandArgs(row.command), false); d.Verdict.String() != row.want {
			t.Errorf("%q, %q: %s, want %s (%s)", row.rule, row.command, d.Verdict, row.want, d.Why)
		}
	}
}

// Absolute rules and relative paths meet when the working folder is known.
func TestAbsoluteRules(t *testing.T) {
	dir := filepath.ToSlash(t.TempDir())
	p := policy(t, "deny write "+dir+"/a/**", "allow write "+dir+"/**")
	p.Dir = dir
	for path, want := range map[string]string{"a/x": "deny", "b/x": "allow", dir + "/a/x": "deny", "../x": "ask"} {
		args, _ := json.Marshal(map[string]string{"path": path})
		if d := p.Decide(writeTool, args, false); d.Verdict.String() != want {
			t.Errorf("%q: %s, want %s (%s)", path, d.Verdict, want, d.Why)
		}
	}
}

func TestShapes(t *testing.T) {
	for _, row := range []struct {
		pattern string
		word    shape
		want    bool
	}{
		{"**/.env", shape(nil).text(".env"), true},
		{"**/.env", shape(nil).text("a/.env"), true},
		{"**/.env", shape(nil).text("a.env"), false},
		{"**/.env", shape(nil).text(".e").star(), true},
		{"**/.env", shape(nil).star(), false},
		{"**/.env", shape(nil).text("a/").star(), false},
		{"**/.env", shape(nil).add(anyText), true},
		{"**/.env", shape(nil).add(anyText).text("/.env"), true},
		{"**/.env", shape(nil).add(anyText).text(".go"), false},
		{"secrets/**", shape(nil).star().text(".go"), false},
		{"secrets/**", shape(nil).star().text("/key"), true},
		{"secrets/**", shape(nil).text("s").add(oneChar).text("crets"), true},
		{"secrets/**", shape(nil).text("s").add(oneChar).text("cret"), false},
		{"a/**/b", shape(nil).text("a/b"), true},
		{"a/**/b", shape(nil).text("a/x/y/b"), true},
		{"a/**/b", shape(nil).text("ab"), false},
		{"*.{pem,key}", shape(nil).star().text(".pem"), true},
		{"*.pem", shape(nil).star().text(".go"), false},
		{`a\*`, shape(nil).text("a*"), true},
		{`a\*`, shape(nil).text("ab"), false},
		{"x[0-9]", shape(nil).text("x7"), true},
		{".git", shape(nil).text(".git/").star(), true},
		{".git", shape(nil).text(".gitx/").star(), false},
		{".git", shape(nil).star().text("git"), false},
		{".git", shape(nil).text(".").star(), true},
	} {
		if got := row.word.mayMatch(row.pattern); got != row.want {
			t.Errorf("%q, %v: %v", row.pattern, row.word, got)
		}
	}
}

// What is guarded takes a person in mode edits, by any name.
func TestGuarded(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "own", "state"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("own", filepath.Join(dir, "alias")); err != nil {
		t.Skip(err)
	}
	p := &Policy{Mode: ModeEdits, Dir: dir, Guarded: []string{
		filepath.Join(dir, "own", "config.toml"), filepath.Join(dir, "own", "state"), filepath.Join(dir, "new", "config.toml"),
	}}
	for file, want := range map[string]Verdict{
		"own/config.toml": Ask, "own/CONFIG.toml": Ask, "alias/config.toml": Ask, "./own/../own/config.toml": Ask,
		"own/state/log": Ask, "own/state": Ask, "new/config.toml": Ask,
		"own/config.toml.new": Allow, "own/stateless": Allow, "config.toml": Allow,
	} {
		args, _ := json.Marshal(map[string]string{"path": file})
		if d := p.Decide(writeTool, args, false); d.Verdict != want {
			t.Errorf("%s: %s (%s), want %s", file, d.Verdict, d.Why, want)
		}
	}
}
