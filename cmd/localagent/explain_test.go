package main

import (
	"testing"

	"github.com/localagent/localagent/parse"
)

// On a narrow terminal what a mark says stands below it.
func TestExplainNarrow(t *testing.T) {
	const text = `{"tool":"calc","args":{"expr":"6*7"}}`
	r := parse.Parse(text, parse.Options{Tools: []parse.Tool{{Name: "calc"}}}, parse.FinishStop)
	for columns, want := range map[string]string{
		"80": `call: 1 call to run
1 │ {"tool":"calc","args":{"expr":"6*7"}}
  │ ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ call: calc expr=6*7 (json) at byte 0
`,
		"44": `call: 1 call to run
1 │ {"tool":"calc","args":{"expr":"6*7"}}
  │ ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  │   call: calc expr=6*7 (json) at byte 0
`,
		"30": `call: 1 call to run
1 │ {"tool":"calc",…
  │ ^^^^^^^^^^^^^^^^
  │   call: calc expr=6*7
  │   (json) at byte 0
`,
	} {
		s, b := testScreen(map[string]string{"COLUMNS": columns})
		s.tty = true
		explain(s, text, &r)
		if b.String() != want {
			t.Errorf("%s columns: got\n%s\nwant\n%s", columns, b, want)
		}
	}
}
