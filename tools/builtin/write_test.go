package builtin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/localagent/localagent/tools"
)

func TestWriteFile(t *testing.T) {
	b := newBox(t, map[string]string{"old.txt": "one\ntwo\n", "crlf": "a\r\nb\r\n", "mixed": "a\r\nb\n", "bin": "a\x00b", "dir/": ""})
	b.want("write_file", args{"path": "new.txt", "content": "a\nb\n"}, "created new.txt: 2 lines, 4 bytes")
	b.want("write_file", args{"path": "a/b/c.txt", "content": "x"}, "created a/b/c.txt: 1 line, 1 byte")
	b.want("write_file", args{"path": "none", "content": ""}, "created none, empty")
	r := b.want("write_file", args{"path": "old.txt", "content": "one\n2\n"}, "wrote old.txt: 2 lines, 6 bytes; before: 2 lines, 8 bytes")
	if want := "--- old.txt\n+++ old.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"; r.Diff != want {
		t.Errorf("diff %q, want %q", r.Diff, want)
	}
	b.want("write_file", args{"path": "old.txt", "content": "one\n2\n"}, "old.txt has this content already; it was not touched")
	b.want("write_file", args{"path": "crlf", "content": "c\nd\n"}, "wrote crlf: 2 lines, 6 bytes; before: 2 lines, 6 bytes")
	b.want("write_file", args{"path": "mixed", "content": "c\nd\n"}, "wrote mixed: 2 lines, 4 bytes; before: 2 lines, 5 bytes")
	for name, want := range map[string]string{"new.txt": "a\nb\n", "a/b/c.txt": "x", "none": "", "old.txt": "one\n2\n", "crlf": "c\r\nd\r\n", "mixed": "c\nd\n"} {
		if got := b.read(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	b.fails("write_file", args{"path": "bin", "content": "x"}, "bin is a binary file (3 bytes)")
	b.fails("write_file", args{"path": "dir", "content": "x"}, "dir is a folder")
	b.fails("write_file", args{"path": "dir/", "content": "x"}, "is the name of a folder")
	b.fails("write_file", args{"path": "old.txt/x", "content": "x"}, "old.txt")
	b.fails("write_file", args{"path": "../x", "content": "x"}, "outside the working folder")
	b.fails("write_file", args{"path": ".git/hooks/pre-commit", "content": "x"}, ".git")
	b.fails("write_file", args{"path": "sub/.GIT/config", "content": "x"}, ".git")
	for _, name := range []string{".git./config", ".git::$INDEX_ALLOCATION/config", "GIT~1/config", ".g\u200dit/config"} {
		b.fails("write_file", args{"path": name, "content": "x"}, "left to git")
	}
	b.fails("write_file", args{"path": "nul", "content": "a\x00b"}, "nul was not written: the text holds the character U+0000 at byte 1")
	b.fails("edit_file", args{"path": "old.txt", "old": "one", "new": "\x00"}, "the character U+0000")
	b.fails("write_file", args{"path": "", "content": "x"}, "the path is empty")
	noTemp(b)
}

// noTemp checks that no temporary file was left.
func noTemp(b *box) {
	b.t.Helper()
	if r := b.do("list_files", args{"glob": ".localagent-*"}); !strings.Contains(r.Text, "nothing") {
		b.t.Errorf("left behind: %s", r.Text)
	}
}

// Missing content is not empty content.
func TestMissingContent(t *testing.T) {
	b := newBox(t, map[string]string{"f": "text\n"})
	b.fails("write_file", args{"path": "f"}, "content")
	b.fails("write_file", args{"path": "f", "content": nil}, "content")
	b.fails("edit_file", args{"path": "f", "old": "text"}, "new")
	if got := b.read("f"); got != "text\n" {
		t.Errorf("changed to %q", got)
	}
	// also when the arguments were not checked
	r, err := b.set.Lookup("write_file").Run(t.Context(), tools.Call{Args: []byte(`{"path":"f"}`)})
	if got := b.read("f"); err == nil || got != "text\n" {
		t.Errorf("unchecked: %v, %v, %q", r, err, got)
	}
	b.want("write_file", args{"path": "f", "content": ""}, "emptied f; it had 5 bytes")
	if got := b.read("f"); got != "" {
		t.Errorf("not emptied: %q", got)
	}
}

func TestPreview(t *testing.T) {
	b := newBox(t, map[string]string{"f": "a\nb\n"})
	tests := []struct{ tool, args, want, err string }{
		{"write_file", `{"path":"f","content":"a\nc\n"}`, "--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n", ""},
		{"write_file", `{"path":"new/g","content":"a\n"}`, "--- " + os.DevNull + "\n+++ new/g\n@@ -0,0 +1 @@\n+a\n", ""},
		{"write_file", `{"path":"f","content":"a\nb\n"}`, "f has this content already", ""},
		{"write_file", `{"path":"../f","content":""}`, "", "outside"},
		{"edit_file", `{"path":"f","old":"b","new":"c"}`, "replaced text in line 2\n--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n", ""},
		{"edit_file", `{"path":"f","old":"x","new":"c"}`, "", "old is not there"},
		{"run_shell", `{"command":"rm -rf *"}`, "in " + filepath.ToSlash(b.dir) + ":\nrm -rf *", ""},
	}
	for _, tt := range tests {
		got, err := b.set.Lookup(tt.tool).Preview(t.Context(), tools.Call{Args: []byte(tt.args)})
		if got != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s %s: %q, %v; want %q, %s", tt.tool, tt.args, got, err, tt.want, tt.err)
		}
	}
	if got := b.read("f"); got != "a\nb\n" {
		t.Errorf("a preview changed the file to %q", got)
	}
}

func TestLongDiff(t *testing.T) {
	b := newBox(t, map[string]string{"f": strings.Repeat("a line of text\n", 20_000), "huge": strings.Repeat("x", 2<<20)})
	r := b.do("write_file", args{"path": "f", "content": strings.Repeat("another line\n", 20_000)})
	if len(r.Diff) > maxDiff+100 || !strings.Contains(r.Diff, "of the diff left out") {
		t.Errorf("a diff of %d bytes", len(r.Diff))
	}
	if r := b.do("write_file", args{"path": "huge", "content": "y"}); r.Diff != "huge: 2 MB become 1 byte; too large for a diff" {
		t.Errorf("diff %.100q", r.Diff)
	}
}

// A file that somebody else changes between reading and writing is left alone.
func TestChangedMeanwhile(t *testing.T) {
	b := newBox(t, map[string]string{"f": "a\n"})
	root, err := os.OpenRoot(b.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	f := newFolder(Options{Root: root})
	text := "b\n"
	ch, err := f.writing(writeArgs{"f", &text})
	if err != nil {
		t.Fatal(err)
	}
	b.write("f", "theirs\n")
	if err := f.put(ch); err == nil || !strings.Contains(err.Error(), "changed by somebody else") || b.read("f") != "theirs\n" {
		t.Errorf("%v; the file has %q", err, b.read("f"))
	}
	ch, err = f.writing(writeArgs{"g", &text})
	if err != nil {
		t.Fatal(err)
	}
	b.write("g", "theirs\n")
	if err := f.put(ch); err == nil || !strings.Contains(err.Error(), "made by somebody else") || b.read("g") != "theirs\n" {
		t.Errorf("%v; the file has %q", err, b.read("g"))
	}
	noTemp(b)
}
