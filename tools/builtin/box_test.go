package builtin

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/localagent/localagent/tools"
)

// A box is a working folder with the tools on it.
type box struct {
	t   *testing.T
	dir string
	set *tools.Set
}

// newBox makes the files; a name that ends in a slash is a folder.
func newBox(t *testing.T, files map[string]string) *box {
	t.Helper()
	dir := t.TempDir()
	b := &box{t: t, dir: dir}
	for name, text := range files {
		b.write(name, text)
	}
	b.set = tools.NewSet(All(Options{Root: mustRoot(t, dir), SpillDir: filepath.Join(t.TempDir(), "spill")})...)
	return b
}

func mustRoot(t *testing.T, dir string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

func (b *box) path(name string) string { return filepath.Join(b.dir, filepath.FromSlash(name)) }

func (b *box) write(name, text string) {
	b.t.Helper()
	p := b.path(name)
	if strings.HasSuffix(name, "/") {
		if err := os.MkdirAll(p, 0o755); err != nil {
			b.t.Fatal(err)
		}
		return
	}
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

func (b *box) read(name string) string {
	b.t.Helper()
	text, err := os.ReadFile(b.path(name))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(text)
}

// args are the arguments of a call.
type args map[string]any

func (b *box) do(name string, a args) tools.Result {
	b.t.Helper()
	return b.doWith(name, a, 0)
}

func (b *box) doWith(name string, a args, maxBytes int) tools.Result {
	b.t.Helper()
	raw, err := json.Marshal(a)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.set.Do(b.t.Context(), tools.Call{Name: name, Args: raw, MaxBytes: maxBytes})
}

// want checks that a call succeeds with a text.
func (b *box) want(name string, a args, text string) tools.Result {
	b.t.Helper()
	r := b.do(name, a)
	if r.Status != tools.OK || r.Text != text {
		b.t.Errorf("%s %v: %s\n%s\nwant\n%s", name, a, r.Status, r.Text, text)
	}
	return r
}

// fails checks that a call fails with a text that contains another.
func (b *box) fails(name string, a args, part string) {
	b.t.Helper()
	r := b.do(name, a)
	if r.Status == tools.OK || !strings.Contains(r.Text, part) {
		b.t.Errorf("%s %v: %s\n%s\nwant a failure with\n%s", name, a, r.Status, r.Text, part)
	}
}
