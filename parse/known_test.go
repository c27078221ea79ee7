package parse_test

import (
	"bufio"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

var updateKnown = flag.Bool("update-known", false, "rewrite the lists of known failures in testdata/known")

// A ledger holds the known failures of one test: a file with one id a line,
// blank lines and lines that start with # apart. A failure that is not listed
// is an error, and so is a listed one that passes, so the list can only shrink
// on purpose: go test ./parse -update-known.
type ledger struct {
	path   string
	notes  string // the comments of the file
	known  map[string]bool
	failed map[string]string // id → what was wrong
}

func openLedger(t *testing.T, name string) *ledger {
	t.Helper()
	l := &ledger{
		path:   filepath.Join("testdata", "known", name+".txt"),
		known:  map[string]bool{},
		failed: map[string]string{},
	}
	data, err := os.ReadFile(l.path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(strings.NewReader(string(data)))
	for lines.Scan() {
		switch line := lines.Text(); {
		case strings.HasPrefix(line, "#"):
			l.notes += line + "\n"
		case line != "":
			l.known[line] = true
		}
	}
	t.Cleanup(func() { l.close(t) })
	return l
}

// check enters the outcome of one id: what was wrong with it, or "".
func (l *ledger) check(t *testing.T, id, wrong string) {
	t.Helper()
	if wrong != "" {
		l.failed[id] = wrong
	}
	switch {
	case *updateKnown:
	case wrong != "" && !l.known[id]:
		t.Errorf("%s: %s", id, wrong)
	case wrong == "" && l.known[id]:
		t.Errorf("%s passes now: take it off %s (-update-known)", id, l.path)
	}
}

// try returns what f finds wrong, or the panic that ends it: one bad reply does
// not hide the others.
func try(f func() string) (wrong string) {
	defer func() {
		if p := recover(); p != nil {
			wrong = fmt.Sprintf("panic: %v\n%s", p, panicSite())
		}
	}()
	return f()
}

// panicSite names the functions of the package that were at work.
func panicSite() string {
	var b strings.Builder
	for line := range strings.Lines(string(debug.Stack())) {
		if strings.Contains(line, "/parse/") && !strings.Contains(line, "_test.go") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// close lists every failure, known or not, in verbose mode, and rewrites the
// file if asked to.
func (l *ledger) close(t *testing.T) {
	ids := slices.Sorted(maps.Keys(l.failed))
	if testing.Verbose() {
		for _, id := range ids {
			t.Logf("%s: %s", id, l.failed[id])
		}
	}
	if n := len(ids); n > 0 {
		t.Logf("%d failures; known are %d", n, len(l.known))
	}
	if *updateKnown {
		l.write(t, ids)
	}
}

func (l *ledger) write(t *testing.T, ids []string) {
	if len(ids) == 0 {
		if err := os.Remove(l.path); err != nil && !os.IsNotExist(err) {
			t.Error(err)
		}
		return
	}
	if err := os.MkdirAll(filepath.Dir(l.path), 0o755); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(l.path, []byte(l.notes+strings.Join(ids, "\n")+"\n"), 0o644); err != nil {
		t.Error(err)
	}
}
