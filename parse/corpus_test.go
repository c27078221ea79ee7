package parse_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/localagent/localagent/parse"
)

// corpora are raw outputs of real models; testdata/corpus/README.md says whose.
var corpora = []string{"corpus/small-models.jsonl.gz", "corpus/bfcl-2024-08.jsonl.gz"}

// A tally counts how the outputs of one model were read.
type tally struct {
	outputs, right int
	calls, callsOK int // outputs labelled call, and read right
	invented       int // calls out of an answer
}

func (a *tally) add(b tally) {
	a.outputs += b.outputs
	a.right += b.right
	a.calls += b.calls
	a.callsOK += b.callsOK
	a.invented += b.invented
}

// TestCorpus reads raw outputs of real models, each as its label says, and prints
// what was read right of each model. Outputs whose label is disputed (see
// testdata/corpus/disputed.txt) are read but not counted.
func TestCorpus(t *testing.T) {
	disputed := readDisputed(t)
	known := openLedger(t, "corpus")
	models := map[string]*tally{}
	for _, name := range corpora {
		for _, row := range readLabelled(t, name) {
			if disputed[row.ID] {
				continue
			}
			if models[row.Model] == nil {
				models[row.Model] = &tally{}
			}
			var r parse.Result
			wrong := try(func() string {
				r = parse.Parse(row.Text, row.options(), row.finish())
				return row.wrong(r)
			})
			known.check(t, row.ID, wrong)
			models[row.Model].add(judge(row, r, wrong == ""))
		}
	}
	var sum tally
	for _, m := range models {
		sum.add(*m)
	}
	t.Logf("\n%s", table(models, sum))
}

func judge(row labelled, r parse.Result, ok bool) tally {
	one := tally{outputs: 1}
	if row.Expect.Kind == "call" {
		one.calls = 1
	}
	if ok {
		one.right, one.callsOK = 1, one.calls
	}
	if !ok && row.Expect.Kind == "final" && r.Outcome == parse.Calls {
		one.invented = 1
	}
	return one
}

func table(models map[string]*tally, sum tally) string {
	names := make([]string, 0, len(models))
	for name := range models {
		names = append(names, name)
	}
	slices.Sort(names)
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 1, ' ', 0)
	row := func(name string, m tally) {
		fmt.Fprintf(w, "| %s\t| %d\t| %d\t| %d of %d\t| %d\t|\n", name, m.outputs, m.right, m.callsOK, m.calls, m.invented)
	}
	fmt.Fprintf(w, "| model\t| outputs\t| read right\t| calls read right\t| calls out of answers\t|\n")
	fmt.Fprintf(w, "| ---\t| ---\t| ---\t| ---\t| ---\t|\n")
	for _, name := range names {
		row(name, *models[name])
	}
	row("all", sum)
	w.Flush()
	return b.String()
}

// readDisputed reads the ids of outputs whose label the project disputes, one
// a line with the reason behind it.
func readDisputed(t *testing.T) map[string]bool {
	t.Helper()
	data, err := os.ReadFile("testdata/corpus/disputed.txt")
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		id, reason, _ := strings.Cut(lines.Text(), "\t")
		if id == "" || id[0] == '#' {
			continue
		}
		if reason == "" {
			t.Errorf("disputed.txt: %s has no reason", id)
		}
		ids[id] = true
	}
	return ids
}
