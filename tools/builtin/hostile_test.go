//go:build unix

package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/localagent/localagent/tools"
)

// A trap is a working folder beside one that must not be reached.
type trap struct {
	*box
	out string // the folder outside
}

const secret = "the secret\n"

func newTrap(t *testing.T) *trap {
	t.Helper()
	tr := &trap{box: newBox(t, map[string]string{"in.txt": "inside\n", "sub/deep.txt": "deep\n"}), out: t.TempDir()}
	tr.outside("secret.txt", secret)
	rel, err := filepath.Rel(tr.dir, tr.out)
	if err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{
		"to-folder":        rel,
		"to-folder-abs":    tr.out,
		"to-file":          filepath.Join(rel, "secret.txt"),
		"to-file-abs":      filepath.Join(tr.out, "secret.txt"),
		"to-nothing":       filepath.Join(rel, "new.txt"),
		"to-nothing-abs":   filepath.Join(tr.out, "new.txt"),
		"to-parent":        "..",
		"to-link":          "to-file",
		"to-zero":          "/dev/zero",
		"to-in":            "in.txt",
		"to-sub":           "sub",
		"sub/up":           "../in.txt",
		"sub/out":          filepath.Join("..", rel, "secret.txt"),
		"dangling":         "not-there",
		"round-1":          "round-2",
		"round-2":          "round-1",
		"through-a-link":   "to-sub/../in.txt",
		"out-and-in-again": filepath.Join("..", filepath.Base(tr.dir), "in.txt"),
	} {
		if err := os.Symlink(target, tr.path(name)); err != nil {
			t.Fatal(err)
		}
	}
	return tr
}

func (tr *trap) outside(name, text string) {
	if err := os.WriteFile(filepath.Join(tr.out, name), []byte(text), 0o644); err != nil {
		tr.t.Fatal(err)
	}
}

// intact checks that nothing outside was read, changed or made.
func (tr *trap) intact(r tools.Result) {
	tr.t.Helper()
	if strings.Contains(r.Text+r.Diff, "the secret") {
		tr.t.Errorf("read outside: %q", r.Text)
	}
	entries, err := os.ReadDir(tr.out)
	if err != nil || len(entries) != 1 {
		tr.t.Fatalf("made outside: %v, %v", entries, err)
	}
	if text, err := os.ReadFile(filepath.Join(tr.out, "secret.txt")); err != nil || string(text) != secret {
		tr.t.Fatalf("changed outside: %q, %v", text, err)
	}
}

// uses are a call of each file tool on a path.
func uses(path string) map[string]args {
	return map[string]args{
		"list_files":  {"path": path},
		"read_file":   {"path": path},
		"search_text": {"pattern": "e", "path": path},
		"count_chars": {"path": path},
		"write_file":  {"path": path, "content": "changed\n"},
		"edit_file":   {"path": path, "old": "e", "new": "E", "all": true},
	}
}

func TestLinksOut(t *testing.T) {
	tr := newTrap(t)
	for _, p := range []string{
		"to-folder", "to-folder-abs", "to-file", "to-file-abs", "to-nothing", "to-nothing-abs", "to-parent", "to-link", "to-zero",
		"to-folder/secret.txt", "to-folder/new.txt", "to-folder/new/new.txt", "to-folder-abs/secret.txt", "to-folder-abs/new.txt",
		"to-parent/x", "sub/out", "to-sub/out", "sub/../to-file", "round-1", "round-1/x", "out-and-in-again",
		filepath.Join(tr.out, "secret.txt"), filepath.Join(tr.out, "new.txt"), "../" + filepath.Base(tr.out) + "/secret.txt", "/", "..", "../..",
	} {
		for tool, a := range uses(p) {
			r := tr.do(tool, a)
			if r.Status != tools.Failed {
				t.Errorf("%s %s: %s %q", tool, p, r.Status, r.Text)
			}
			tr.intact(r)
		}
	}
	if got := tr.do("list_files", args{}); strings.Contains(got.Text, "to-folder/secret") {
		t.Errorf("listed outside: %s", got.Text)
	}
	tr.intact(tr.do("search_text", args{"pattern": "secret"}))
}

func TestLinksInside(t *testing.T) {
	tr := newTrap(t)
	for _, p := range []string{"to-in", "sub/up", "to-sub/up", "through-a-link"} {
		tr.want("read_file", args{"path": p}, "1\tinside")
	}
	tr.want("read_file", args{"path": "to-sub/deep.txt"}, "1\tdeep")
	tr.want("write_file", args{"path": "to-sub/new.txt", "content": "x\n"}, "created to-sub/new.txt: 1 line, 2 bytes")
	tr.want("write_file", args{"path": "dangling", "content": "x\n"}, "created dangling: 1 line, 2 bytes")
	if got := tr.read("sub/new.txt") + tr.read("not-there"); got != "x\nx\n" {
		t.Errorf("written %q", got)
	}
	tr.want("edit_file", args{"path": "sub/up", "old": "inside", "new": "changed"}, "edited sub/up: replaced text in line 1")
	if got := tr.read("in.txt"); got != "changed\n" {
		t.Errorf("the file behind the link has %q", got)
	}
	if info, err := os.Lstat(tr.path("sub/up")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v, %v", info, err)
	}
	tr.fails("read_file", args{"path": "round-1"}, "too many links")
}

func TestNotRegular(t *testing.T) {
	b := newBox(t, map[string]string{"dir/x": ""})
	if err := syscall.Mkfifo(b.path("pipe"), 0o644); err != nil {
		t.Skip(err)
	}
	l, err := net.Listen("unix", b.path("sock"))
	if err != nil {
		t.Skip(err)
	}
	defer l.Close()
	if err := os.Symlink("pipe", b.path("to-pipe")); err != nil {
		t.Fatal(err)
	}
	paths := map[string]string{"pipe": "named pipe", "to-pipe": "named pipe", "sock": "socket", "dir": "folder"}
	if err := syscall.Mknod(b.path("zero"), syscall.S_IFCHR|0o666, 1<<8|5); err == nil { // needs root
		paths["zero"] = "device"
	}
	for p, want := range paths {
		for tool, a := range uses(p) {
			if p == "dir" && (tool == "list_files" || tool == "search_text") {
				continue
			}
			atOnce(t, func() { b.fails(tool, a, want) })
		}
	}
	atOnce(t, func() { b.want("search_text", args{"pattern": "x"}, `[no line matches "x" in 1 file]`) })
}

// atOnce fails when f hangs.
func atOnce(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("hangs")
	}
}

// A file of 10 GB takes neither its time nor its memory.
func TestSparse(t *testing.T) {
	b := newBox(t, map[string]string{"hole": "", "head": "needle\nsecond\n"})
	for _, name := range []string{"hole", "head"} {
		if err := os.Truncate(b.path(name), 10<<30); err != nil {
			t.Skip(err)
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, p := range []string{"hole", "head"} {
		atOnce(t, func() {
			b.fails("read_file", args{"path": p}, p+" is a binary file (10 GB); it is not shown")
			b.fails("count_chars", args{"path": p}, "binary file (10 GB)")
			b.fails("write_file", args{"path": p, "content": ""}, "10 GB")
			b.fails("edit_file", args{"path": p, "old": "a", "new": "b"}, "10 GB")
			b.fails("read_file", args{"path": p, "offset": -5}, "binary")
		})
	}
	r := b.do("search_text", args{"pattern": "needle"})
	if r.Status != tools.OK || !strings.Contains(r.Text, "2 binary files not searched, or only up to the binary data") {
		t.Errorf("search: %s %q", r.Status, r.Text)
	}
	runtime.ReadMemStats(&after)
	if got := (after.TotalAlloc - before.TotalAlloc) >> 20; got > 64 {
		t.Errorf("%d MB were allocated", got)
	}
}

// A long text is looked for in a long file in one pass.
func TestLongEdit(t *testing.T) {
	b := newBox(t, map[string]string{"f": strings.Repeat("ab\n", 1<<18)})
	old := strings.Repeat("ab \n", 20_000)
	atOnce(t, func() {
		b.fails("edit_file", args{"path": "f", "old": old + "x", "new": ""}, "closest is lines 1-20001")
		b.fails("edit_file", args{"path": "f", "old": old, "new": ""}, "typography at lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …; copy")
	})
}

// A long file without zero bytes is read until the context ends.
func TestLongFileCancelled(t *testing.T) {
	b := newBox(t, map[string]string{"f": strings.Repeat("some text\n", 1<<20)})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, a := range []any{countArgs{"f"}, readArgs{Path: "f", Offset: 1 << 20}, searchArgs{Pattern: "nothing"}} {
		f := newFolder(Options{Root: mustRoot(t, b.dir)})
		var err error
		switch a := a.(type) {
		case countArgs:
			_, err = f.countChars(ctx, tools.Call{}, a)
		case readArgs:
			_, err = f.readFile(ctx, tools.Call{}, a)
		case searchArgs:
			var v any
			v, err = f.searchText(ctx, tools.Call{}, a)
			if r, ok := v.(tools.Result); ok && strings.Contains(r.Text, "not finished") {
				err = context.Canceled // what it has is worth more than an error
			}
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%T: %v", a, err)
		}
	}
}

// While the tools run, a name turns without pause from a file into a link to
// the outside, a pipe, a folder and nothing. Nothing outside is ever reached.
func TestRaces(t *testing.T) {
	tr := newTrap(t)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() { turn(tr, stop) })
	for range 50 {
		for _, p := range []string{"turning", "turning/secret.txt", "turning/new.txt"} {
			for tool, a := range uses(p) {
				atOnce(t, func() { tr.intact(tr.do(tool, a)) })
			}
		}
	}
	close(stop)
	wg.Wait()
	tr.intact(tools.Result{})
	if text := tr.read("in.txt"); text != "inside\n" {
		t.Errorf("in.txt has %q", text)
	}
}

func turn(tr *trap, stop chan struct{}) {
	p, next := tr.path("turning"), tr.path("next")
	forms := []func() error{
		func() error { return os.WriteFile(next, []byte("inside e\n"), 0o644) },
		func() error { return os.Symlink(filepath.Join(tr.out, "secret.txt"), next) },
		func() error { return os.Symlink("to-folder", next) },
		func() error { return os.Symlink("to-nothing", next) },
		func() error { return syscall.Mkfifo(next, 0o644) },
		func() error { return os.Mkdir(next, 0o755) },
	}
	for i := 0; ; i++ {
		select {
		case <-stop:
			return
		default:
		}
		os.RemoveAll(next)
		if forms[i%len(forms)]() == nil && os.Rename(next, p) != nil {
			os.RemoveAll(p)
			os.Rename(next, p)
		}
	}
}

// Modes, owners and read-only files.
func TestModes(t *testing.T) {
	b := newBox(t, map[string]string{"script.sh": "#!/bin/sh\n", "private": "x\n", "fixed": "x\n"})
	for name, mode := range map[string]os.FileMode{"script.sh": 0o755, "private": 0o600, "fixed": 0o444} {
		if err := os.Chmod(b.path(name), mode); err != nil {
			t.Fatal(err)
		}
	}
	b.do("write_file", args{"path": "script.sh", "content": "#!/bin/sh\nls\n"})
	b.do("edit_file", args{"path": "private", "old": "x", "new": "y"})
	b.fails("write_file", args{"path": "fixed", "content": "y"}, "fixed is read-only")
	for name, want := range map[string]os.FileMode{"script.sh": 0o755, "private": 0o600, "fixed": 0o444} {
		if info, err := os.Stat(b.path(name)); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(b.path("script.sh"), 12345, 23456); err != nil {
			t.Skip(err)
		}
		b.do("write_file", args{"path": "script.sh", "content": "#!/bin/sh\n"})
		info, err := os.Stat(b.path("script.sh"))
		if st := info.Sys().(*syscall.Stat_t); err != nil || st.Uid != 12345 || st.Gid != 23456 || info.Mode() != 0o755 {
			t.Errorf("owner %d:%d, %v, %v", st.Uid, st.Gid, info.Mode(), err)
		}
	}
}

// Somebody who reads while a file is written sees the old text or the new one.
func TestWriteIsAtomic(t *testing.T) {
	old, new := strings.Repeat("old line\n", 2000), strings.Repeat("new line\n", 2000)
	b := newBox(t, map[string]string{"f": old})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 30 {
			b.do("write_file", args{"path": "f", "content": []string{new, old}[i%2]})
		}
	}()
	for reads := 0; ; reads++ {
		if text, err := os.ReadFile(b.path("f")); err != nil || string(text) != old && string(text) != new {
			t.Fatalf("read %d: %d bytes, %v", reads, len(text), err)
		}
		select {
		case <-done:
			noTemp(b)
			return
		default:
		}
	}
}

// Unreadable files and folders are counted, not fatal.
func TestUnreadable(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	b := newBox(t, map[string]string{"a/x": "needle\n", "b": "needle\n", "c": "needle\n"})
	os.Chmod(b.path("a"), 0)
	os.Chmod(b.path("b"), 0)
	defer os.Chmod(b.path("a"), 0o755)
	b.want("search_text", args{"pattern": "needle"}, "c:1: needle\n[1 file could not be read]\n[1 folder could not be read]")
}

// Deep folders and long names are walked without recursion.
func TestDeep(t *testing.T) {
	b := newBox(t, nil)
	root := mustRoot(t, b.dir)
	p := "d"
	for i := range 100 {
		if err := root.Mkdir(p, 0o755); err != nil {
			t.Fatal(i, err)
		}
		p += "/d"
	}
	r := b.do("list_files", args{"glob": "*"})
	if n := strings.Count(r.Text, "\n"); r.Status != tools.OK || n < 60 || n > 70 {
		t.Errorf("%s, %d lines", r.Status, n)
	}
	long := strings.Repeat("n", 255)
	b.want("write_file", args{"path": long, "content": "x"}, fmt.Sprintf("created %s: 1 line, 1 byte", long))
}

// Arguments of every shape are answered.
func TestOddArguments(t *testing.T) {
	b := newBox(t, map[string]string{"f": "text\n"})
	for _, raw := range []string{`{}`, `null`, `[]`, `{"path":5}`, `{"path":null}`, `{"path":["f"]}`, `{"path":"f","offset":1e300}`,
		`{"path":"f","offset":-9223372036854775808}`, `{"path":"f","offset":9223372036854775807,"limit":9223372036854775807}`,
		`{"path":"f","column":9223372036854775807}`, `{"path":"f","depth":9223372036854775807}`, `{"path":"\ud800"}`, `{"path":"f\u0000"}`} {
		for _, tool := range b.set.All() {
			atOnce(t, func() {
				r := b.set.Do(t.Context(), tools.Call{Name: tool.Name, Args: json.RawMessage(raw)})
				if r.Status == tools.Panicked || r.Text == "" {
					t.Errorf("%s %s: %s %s", tool.Name, raw, r.Status, r.Text)
				}
			})
		}
	}
}
