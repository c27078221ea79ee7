package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the page of errors anew")

const page = "../docs/tool-errors.md"

// TestErrorsPage keeps the page of errors in docs true: it is what the tools
// answer now. Run the test with -update to write it.
func TestErrorsPage(t *testing.T) {
	got := errorsPage()
	if *update {
		if err := os.WriteFile(page, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is out of date; run: go test ./tools -run TestErrorsPage -update", page)
	}
}

func errorsPage() []byte {
	type readArgs struct {
		Path  string `json:"path" jsonschema:"the file, relative to the folder" example:"notes.txt"`
		Limit int    `json:"limit,omitempty" jsonschema:"how many lines" min:"1" max:"2000" default:"200"`
		Mode  string `json:"mode,omitempty" enum:"text,hex"`
	}
	type writeArgs struct {
		Path    string `json:"path"`
		Content string `json:"content"`
	}
	set := NewSet(
		New(Tool{Name: "read_file", Description: "Read lines of a text file."}, func(_ context.Context, _ Call, in readArgs) (string, error) {
			if in.Path == "gone.txt" {
				return "", errors.New("there is no gone.txt; did you mean notes.txt?")
			}
			return strings.Repeat("line\n", 200), nil
		}),
		New(Tool{Name: "write_file", Description: "Write a text file."}, func(context.Context, Call, writeArgs) (string, error) { return "", nil }),
		New(Tool{Name: "crash", Description: "Crash."}, func(context.Context, Call, struct{}) (string, error) { panic("index out of range [3]") }),
		New(Tool{Name: "build", Description: "Build.", Timeout: 20 * time.Millisecond}, func(ctx context.Context, _ Call, _ struct{}) (string, error) {
			<-ctx.Done()
			return "compiling a.go", nil
		}),
	)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()

	var b bytes.Buffer
	b.WriteString(pageHead)
	for _, group := range []struct {
		title, text, last string
		rows              []errorRow
	}{
		{"Read all the same", "The call runs. What was read differently is in the result and in the log.", "what was read differently", []errorRow{
			{what: "number as text", tool: "read_file", args: `{"path":"a","limit":"5"}`},
			{what: "whole number with a point", tool: "read_file", args: `{"path":"a","limit":5.0}`},
			{what: "number for text", tool: "read_file", args: `{"path":42}`},
			{what: "list of one for a value", tool: "read_file", args: `{"path":["a"]}`},
			{what: "another case", tool: "read_file", args: `{"Path":"a","mode":"HEX"}`},
			{what: "null for what may be left out", tool: "read_file", args: `{"path":"a","limit":null}`},
		}},
		{"Not run", "The model reads why, and how a right call looks.", "the model reads", []errorRow{
			{what: "unknown tool, nearly right", tool: "readfile", args: `{}`},
			{what: "unknown tool, other words", tool: "open_file", args: `{}`},
			{what: "unknown tool", tool: "send_mail", args: `{}`},
			{what: "the same for the third time", tool: "send_mail", args: `{}`, times: 3},
			{what: "missing argument", tool: "read_file", args: `{}`},
			{what: "missing is not empty", tool: "write_file", args: `{"path":"a.txt"}`},
			{what: "unknown argument", tool: "read_file", args: `{"pth":"a.txt"}`},
			{what: "wrong type", tool: "read_file", args: `{"path":"a.txt","limit":"ten"}`},
			{what: "true is no text", tool: "read_file", args: `{"path":true}`},
			{what: "beyond a limit", tool: "read_file", args: `{"path":"a.txt","limit":9000}`},
			{what: "not in the list", tool: "read_file", args: `{"path":"a.txt","mode":"binary"}`},
			{what: "given twice", tool: "read_file", args: `{"path":"a.txt","path":"b.txt"}`},
			{what: "several faults", tool: "read_file", args: `{"file":"a.txt","limit":0}`},
			{what: "the same faults for the third time", tool: "read_file", args: `{"file":"a.txt","limit":0}`, times: 3},
			{what: "no object", tool: "read_file", args: `"a.txt"`},
			{what: "no JSON", tool: "read_file", args: `{"path":"a.txt"`},
			{what: "the run was over", tool: "read_file", args: `{"path":"a.txt"}`, ctx: cancelled},
		}},
		{"Run, and failed", "A failure is a result like any other: the run goes on.", "the model reads", []errorRow{
			{what: "error", tool: "read_file", args: `{"path":"gone.txt"}`},
			{what: "the same error for the third time", tool: "read_file", args: `{"path":"gone.txt"}`, times: 3},
			{what: "crash", tool: "crash", args: `{}`},
			{what: "time limit", tool: "build", args: `{}`},
			{what: "more than there is room for", tool: "read_file", args: `{"path":"a.txt"}`, max: 60},
		}},
	} {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| what | call | status | %s |\n|---|---|---|---|\n", group.title, group.text, group.last)
		for _, row := range group.rows {
			row.write(&b, set)
		}
	}
	return b.Bytes()
}

const pageHead = `# What the model reads when a call goes wrong

Every call gets one result, whatever happens. Its text says what is wrong, what
was wanted, and what to do next. This page is written by a test (` + "`go test ./tools -run TestErrorsPage -update`" + `):
each row is what the tools answer.

The tools of the examples are ` + "`read_file(path: string, limit?: integer = 200, mode?: \"text\"|\"hex\")`" + `,
` + "`write_file(path: string, content: string)`" + `, ` + "`crash()` and `build()`" + `.
`

type errorRow struct {
	what, tool, args string
	times            int             // how often the call is made; 0: once
	max              int             // bytes
	ctx              context.Context // nil: none
}

func (row errorRow) write(b *bytes.Buffer, set *Set) {
	var m Mistakes
	ctx := row.ctx
	if ctx == nil {
		ctx = context.Background()
	}
	var r Result
	for range max(1, row.times) {
		r = set.Do(ctx, Call{Name: row.tool, Args: json.RawMessage(row.args), Mistakes: &m, MaxBytes: row.max})
	}
	text := r.Text
	if r.Status == OK && len(r.Coerced) > 0 {
		text = "*" + strings.Join(r.Coerced, "; ") + "*"
	} else {
		text = "`" + strings.ReplaceAll(text, "\n", "`<br>`") + "`"
	}
	cell := strings.NewReplacer("|", `\|`, "`<br>``<br>`", "`<br>`", "``<br>", "<br>", "<br>``", "")
	fmt.Fprintf(b, "| %s | %s | %s | %s |\n", row.what, cell.Replace("`"+row.tool+" "+row.args+"`"), r.Status, cell.Replace(text))
}
