package main

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/loop/session"
)

// The page of the statuses and the manual say the same.
func TestExitPage(t *testing.T) {
	var want strings.Builder
	for _, row := range exitTable {
		fmt.Fprintf(&want, "| %s | %s |\n", row.code, row.means)
	}
	if page := readPage(t, "../../docs/exit-codes.md"); !strings.Contains(page, "|---|---|\n"+want.String()+"\n") {
		t.Errorf("docs/exit-codes.md does not have the table\n%s", want.String())
	}
}

// The page of the tools and the manual say the same of the environment.
func TestEnvironmentPage(t *testing.T) {
	var want strings.Builder
	for _, v := range environment {
		fmt.Fprintf(&want, "| `%s` | %s |\n", v.name, v.means)
	}
	if page := readPage(t, "../../docs/tools.md"); !strings.Contains(page, "|---|---|\n"+want.String()+"\n") {
		t.Errorf("docs/tools.md does not have the table\n%s", want.String())
	}
}

// What the pages say of a stop is its status, and both name the same ones.
func TestStopPages(t *testing.T) {
	readme, page := stopTable(t, "../../README.md"), stopTable(t, "../../docs/exit-codes.md")
	if d := cmp.Diff(slices.Sorted(maps.Keys(page)), slices.Sorted(maps.Keys(readme))); d != "" {
		t.Errorf("the README names other stops than docs/exit-codes.md: %s", d)
	}
	for _, table := range []map[string]string{readme, page} {
		for stop, status := range table {
			code := session.ExitCode(&loop.Result{Stop: loop.Stop(stop)})
			if first, _, _ := strings.Cut(status, ","); first != fmt.Sprint(code) {
				t.Errorf("%s: status %s, want %d", stop, status, code)
			}
		}
	}
}

var stopRow = regexp.MustCompile("(?m)^\\| (`[a-z_`, ]+`) \\| ([0-9, ]+) \\|")

// stopTable is the status of each stop that a page has in a table.
func stopTable(t *testing.T, page string) map[string]string {
	t.Helper()
	table := map[string]string{}
	for _, row := range stopRow.FindAllStringSubmatch(readPage(t, page), -1) {
		for _, stop := range strings.Split(strings.ReplaceAll(row[1], "`", ""), ", ") {
			table[stop] = row[2]
		}
	}
	if len(table) < 16 {
		t.Errorf("%s has %d stops", page, len(table))
	}
	return table
}

func readPage(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
