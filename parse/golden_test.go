package parse_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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

// compare checks r against the lines of the reading, and returns the first
// difference.
func (g *golden) compare(r parse.Result) string {
	c := comparison{golden: g, r: r, outcome: "call", seen: map[string]bool{},
		calls: r.Calls, void: r.Void, dropped: r.Dropped}
	for _, line := range g.want {
		if fault := c.line(line); fault != "" {
			return fault
		}
	}
	return c.end()
}

// A comparison goes through the lines of a reading. What a line claims is taken
// off calls, void and dropped.
type comparison struct {
	*golden
	r           parse.Result
	outcome     string // "no": anything but a call
	seen        map[string]bool
	calls, void []parse.Call
	dropped     []parse.Dropped
}

func (c *comparison) line(line string) (fault string) {
	verb, rest, _ := strings.Cut(line, " ")
	c.seen[verb] = true
	switch verb {
	case "call":
		c.calls, fault = takeCall(rest, c.calls)
	case "void":
		c.void, fault = takeCall(rest, c.void)
	case "final", "no":
		c.outcome = verb
	case "unparseable":
		c.outcome = verb
		fault = c.compareProblem(rest, c.r.Problem)
	case "text":
		fault = sameWords(verb, rest, c.r.Text)
	case "thinking":
		fault = sameWords(verb, rest, c.r.Thinking)
	case "dropped":
		c.dropped, fault = c.takeDropped(rest, c.dropped)
	case "stop", "retract":
		if !slices.Contains(c.signals(), verb) {
			fault = "no " + verb + " event"
		}
	default:
		fault = "golden: unknown line " + line
	}
	return fault
}

// end checks what no line claimed.
func (c *comparison) end() string {
	switch {
	case c.outcome == "no" && c.r.Outcome == parse.Calls:
		return "a call that must not run"
	case c.outcome != "no" && kind(c.r) != c.outcome:
		return "outcome"
	case len(c.calls) > 0:
		return "one call too many: " + c.calls[0].Name
	case c.seen["void"] && len(c.void) > 0:
		return "one void call too many: " + c.void[0].Name
	case c.seen["dropped"] && len(c.dropped) > 0:
		return "dropped too much"
	case c.outcome == "final" && !c.seen["text"] && c.r.Text != c.input:
		return "text changed"
	case c.r.Outcome != parse.Unparseable && c.r.Problem != nil:
		return "a problem, though usable"
	}
	return ""
}

// takeCall compares one line NAME {args} ; notes with the first of calls.
func takeCall(line string, calls []parse.Call) ([]parse.Call, string) {
	if len(calls) == 0 {
		return nil, "call missing"
	}
	c := calls[0]
	name, rest, _ := strings.Cut(line, " ")
	if c.Name != name {
		return nil, fmt.Sprintf("name is %q", c.Name)
	}
	dec := json.NewDecoder(strings.NewReader(rest))
	var args json.RawMessage
	if err := dec.Decode(&args); err != nil {
		return nil, "golden: " + err.Error()
	}
	if !sameSpelling(args, c.Args) {
		return nil, "arguments"
	}
	fault := compareNotes(rest[dec.InputOffset():], c)
	return calls[1:], fault
}

// compareNotes checks what a call line says after the arguments.
func compareNotes(notes string, c parse.Call) string {
	codes := make([]string, len(c.Repairs))
	for i, r := range c.Repairs {
		codes[i] = string(r.Code)
	}
	var want []string
	ask := true
	for _, note := range strings.Split(notes, ";") {
		switch words := strings.Fields(note); {
		case len(words) == 0:
		case words[0] == "repairs":
			want = words[1:]
		case words[0] == "repaired":
			if ask = false; len(codes) == 0 {
				return "no repair"
			}
		case words[0] == "any-repair":
			ask = false
		case words[0] == "as" && len(words) == 2:
			if string(c.Dialect) != words[1] {
				return fmt.Sprintf("dialect is %q", c.Dialect)
			}
		default:
			return "golden: unknown note " + note
		}
	}
	if ask && !slices.Equal(want, codes) {
		return fmt.Sprintf("repairs are %q", codes)
	}
	return ""
}

// sameSpelling compares two JSON texts token by token: the order of keys and
// the digits of numbers count, white space and the spelling of strings do not.
func sameSpelling(a, b []byte) bool {
	x, y := json.NewDecoder(bytes.NewReader(a)), json.NewDecoder(bytes.NewReader(b))
	x.UseNumber()
	y.UseNumber()
	for {
		s, errA := x.Token()
		t, errB := y.Token()
		if errA != nil || errB != nil {
			return errA == errB
		}
		if s != t {
			return false
		}
	}
}

// compareProblem checks REASON and, if given, the place.
func (g *golden) compareProblem(want string, p *parse.Problem) string {
	if p == nil {
		return "no problem"
	}
	reason, place, _ := strings.Cut(want, " ")
	if string(p.Reason) != reason {
		return fmt.Sprintf("reason is %q", p.Reason)
	}
	switch {
	case place == "":
		return ""
	case place == "at start" && p.Offset != 0,
		place == "at end" && p.Offset != len(g.input),
		strings.HasPrefix(place, "after ") && p.Offset != g.offset(place):
		return fmt.Sprintf("offset is %d", p.Offset)
	}
	return ""
}

// offset is the end of the one place where the quoted text of "after "…""
// stands, or -1.
func (g *golden) offset(place string) int {
	before, err := strconv.Unquote(strings.TrimPrefix(place, "after "))
	if err != nil || strings.Count(g.input, before) != 1 {
		return -1
	}
	return strings.Index(g.input, before) + len(before)
}

// sameWords compares texts, white space aside.
func sameWords(what, quoted, got string) string {
	want, err := strconv.Unquote(quoted)
	if err != nil {
		return "golden: " + err.Error()
	}
	if !slices.Equal(strings.Fields(want), strings.Fields(got)) {
		return what
	}
	return ""
}

func (g *golden) takeDropped(line string, dropped []parse.Dropped) ([]parse.Dropped, string) {
	if len(dropped) == 0 {
		return nil, "dropped too little"
	}
	d := dropped[0]
	reason, quoted, _ := strings.Cut(line, " ")
	if d.Reason != reason {
		return nil, fmt.Sprintf("dropped as %q", d.Reason)
	}
	return dropped[1:], sameWords("dropped", quoted, g.input[d.Span.Start:d.Span.End])
}

// signals names the events without a span that the reply gives.
func (g *golden) signals() []string {
	var names []string
	s := parse.NewScanner(g.options)
	for _, e := range s.Feed(g.input) {
		switch e.Kind {
		case parse.EventStop:
			names = append(names, "stop")
		case parse.EventRetract:
			names = append(names, "retract")
		}
	}
	return names
}

// describe writes a result the way goldens do.
func describe(input string, r parse.Result) []string {
	var lines []string
	switch r.Outcome {
	case parse.Final:
		lines = append(lines, "final")
	case parse.Unparseable:
		lines = append(lines, "unparseable "+describeProblem(input, r.Problem))
	}
	for _, c := range r.Calls {
		lines = append(lines, "call "+describeCall(c))
	}
	for _, c := range r.Void {
		lines = append(lines, "void "+describeCall(c))
	}
	if r.Text != "" && (r.Outcome != parse.Final || r.Text != input) {
		lines = append(lines, fmt.Sprintf("text %q", r.Text))
	}
	if r.Thinking != "" {
		lines = append(lines, fmt.Sprintf("thinking %q", r.Thinking))
	}
	for _, d := range r.Dropped {
		lines = append(lines, fmt.Sprintf("dropped %s %q", d.Reason, input[d.Span.Start:d.Span.End]))
	}
	return lines
}

func describeCall(c parse.Call) string {
	line := c.Name + " " + compact(c.Args)
	if len(c.Repairs) > 0 {
		line += " ; repairs"
		for _, r := range c.Repairs {
			line += " " + string(r.Code)
		}
	}
	if c.Dialect != "" {
		line += " ; as " + string(c.Dialect)
	}
	return line
}

func describeProblem(input string, p *parse.Problem) string {
	if p == nil {
		return "(no problem)"
	}
	switch p.Offset {
	case 0:
		return string(p.Reason) + " at start"
	case len(input):
		return string(p.Reason) + " at end"
	}
	if p.Offset < 0 || p.Offset > len(input) {
		return fmt.Sprintf("%s at %d", p.Reason, p.Offset)
	}
	from := p.Offset - 1 // the shortest unique text before the fault, of some length
	for from > 0 && (p.Offset-from < 8 || strings.Count(input, input[from:p.Offset]) > 1) {
		from--
	}
	return fmt.Sprintf("%s after %q", p.Reason, input[from:p.Offset])
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
