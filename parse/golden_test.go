package parse_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/localagent/localagent/parse"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the readings of the goldens that fail")

// A golden is one reply with its right reading, a section of a txtar archive in
// testdata/golden. Each archive guards one rule, named by its first line. The
// section "tools" registers tools, one a line: NAME, or NAME(param type, …),
// which gives it a schema. Every other section is a golden:
//
//	-- name --
//	% finish length         (stop without such a line)
//	% tools calc echo       (instead of those of the archive)
//	% in-thought
//	% expect-json
//	% quoted                (the reply is one Go string)
//	the reply, its last line end apart
//	=>
//	call NAME {arguments}   (one line each; "; repairs CODE…" when repaired, "; as DIALECT")
//
// or, instead of calls, "final", "no call" (either of the other outcomes will
// do) or "unparseable REASON", followed by the place of the fault: "at start",
// "at end" or the text before it, "after "…"". Lines that may follow: "void NAME
// {…}", "text "…"", "thinking "…"", "dropped REASON "…"", "stop" and "retract".
// A final without a text line is the reply unchanged. Where lines of a kind are
// missing, nothing is asked, but for repairs: there are none. "; repaired" asks
// for some repair, "; any-repair" for nothing.
type golden struct {
	name    string
	options parse.Options
	finish  parse.Finish
	input   string
	want    []string // the lines of the reading
	head    string   // directives and input, as they stand in the archive
}

// goldens reads every archive, in order of their names.
func goldens(t testing.TB) []golden {
	t.Helper()
	paths, err := filepath.Glob("testdata/golden/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no goldens: %v", err)
	}
	var all []golden
	for _, path := range paths {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		gs, err := readGoldens(a)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for i := range gs {
			gs[i].name = strings.TrimSuffix(filepath.Base(path), ".txtar") + "/" + gs[i].name
		}
		all = append(all, gs...)
	}
	return all
}

func readGoldens(a *txtar.Archive) ([]golden, error) {
	var tools []parse.Tool
	var gs []golden
	for _, f := range a.Files {
		if f.Name == "tools" {
			for line := range strings.Lines(string(f.Data)) {
				tool, err := readTool(strings.TrimSpace(line))
				if err != nil {
					return nil, err
				}
				tools = append(tools, tool)
			}
			continue
		}
		g, err := readGolden(f, tools)
		if err != nil {
			return nil, fmt.Errorf("%s: %v", f.Name, err)
		}
		gs = append(gs, g)
	}
	return gs, nil
}

func readGolden(f txtar.File, tools []parse.Tool) (golden, error) {
	g := golden{name: f.Name, options: parse.Options{Tools: tools}, finish: parse.FinishStop}
	head, want, ok := strings.Cut("\n"+string(f.Data), "\n=>\n")
	if !ok {
		return g, fmt.Errorf("no line =>")
	}
	g.head = strings.TrimPrefix(head, "\n")
	g.want = strings.Split(strings.TrimSpace(want), "\n")
	quoted := false
	for g.input = g.head; strings.HasPrefix(g.input, "% "); {
		line, rest, _ := strings.Cut(g.input[2:], "\n")
		g.input = rest
		words := strings.Fields(line)
		switch {
		case line == "quoted":
			quoted = true
		case line == "in-thought":
			g.options.InThought = true
		case line == "expect-json":
			g.options.ExpectJSON = true
		case line == "finish length":
			g.finish = parse.FinishLength
		case line == "finish unknown":
			g.finish = parse.FinishUnknown
		case words[0] == "tools":
			g.options.Tools = nil
			for _, name := range words[1:] {
				g.options.Tools = append(g.options.Tools, parse.Tool{Name: name})
			}
		default:
			return g, fmt.Errorf("directive %q", line)
		}
	}
	var err error
	if quoted {
		g.input, err = strconv.Unquote(g.input)
	}
	return g, err
}

// readTool reads NAME or NAME(param type, …).
func readTool(line string) (parse.Tool, error) {
	name, params, ok := strings.Cut(line, "(")
	if !ok {
		return parse.Tool{Name: name}, nil
	}
	var b bytes.Buffer
	b.WriteString(`{"type":"object","properties":{`)
	params, ok = strings.CutSuffix(params, ")")
	if !ok {
		return parse.Tool{}, fmt.Errorf("tool %q", line)
	}
	for i, p := range strings.Split(params, ",") {
		if p == "" {
			continue
		}
		param, typ, ok := strings.Cut(strings.TrimSpace(p), " ")
		if !ok {
			return parse.Tool{}, fmt.Errorf("tool %q: parameter %q", line, p)
		}
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:{\"type\":%q}", param, typ)
	}
	b.WriteString("}}")
	return parse.Tool{Name: name, Parameters: b.Bytes()}, nil
}

// TestGolden reads every golden whole.
func TestGolden(t *testing.T) {
	known := openLedger(t, "golden")
	readings := map[string][]string{}
	for _, g := range goldens(t) {
		t.Run(g.name, func(t *testing.T) {
			var r parse.Result
			wrong := try(func() string {
				r = parse.Parse(g.input, g.options, g.finish)
				return g.wrong(r)
			})
			if wrong != "" && *update {
				readings[g.name] = describe(g.input, r)
				return
			}
			known.check(t, g.name, wrong)
		})
	}
	if *update {
		rewriteGoldens(t, readings)
	}
}

// wrong says what is wrong with the reading of g, or "".
func (g *golden) wrong(r parse.Result) string {
	fault := g.compare(r)
	if fault == "" {
		return ""
	}
	return fmt.Sprintf("%s\n  text %s\n  want %s\n  got  %s", fault, short(g.input),
		strings.Join(g.want, "\n       "), strings.Join(describe(g.input, r), "\n       "))
}

// rewriteGoldens puts new readings into the archives.
func rewriteGoldens(t *testing.T, readings map[string][]string) {
	paths, _ := filepath.Glob("testdata/golden/*.txtar")
	for _, path := range paths {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		base := strings.TrimSuffix(filepath.Base(path), ".txtar") + "/"
		changed := false
		for i, f := range a.Files {
			lines := readings[base+f.Name]
			if lines == nil {
				continue
			}
			head, _, _ := strings.Cut("\n"+string(f.Data), "\n=>\n")
			a.Files[i].Data = []byte(strings.TrimPrefix(head, "\n") + "\n=>\n" + strings.Join(lines, "\n") + "\n")
			changed = true
		}
		if changed {
			if err := os.WriteFile(path, txtar.Format(a), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
