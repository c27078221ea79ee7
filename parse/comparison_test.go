package parse_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/localagent/localagent/parse"
)

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
	outcome     string // as kind names it, or "no call": either of the others
	seen        map[string]bool
	calls, void []parse.Call
	dropped     []parse.Dropped
}

func (c *comparison) line(line string) (fault string) {
	switch line {
	case "final", "no call":
		c.outcome = line
		return ""
	case "stop", "retract":
		if !slices.Contains(c.signals(), line) {
			return "no " + line + " event"
		}
		return ""
	}
	verb, rest, _ := strings.Cut(line, " ")
	c.seen[verb] = true
	switch verb {
	case "call":
		c.calls, fault = takeCall(rest, c.calls)
	case "void":
		c.void, fault = takeCall(rest, c.void)
	case "unparseable":
		c.outcome = verb
		fault = c.compareProblem(rest, c.r.Problem)
	case "text":
		fault = sameWords(verb, rest, c.r.Text)
	case "thinking":
		fault = sameWords(verb, rest, c.r.Thinking)
	case "dropped":
		c.dropped, fault = c.takeDropped(rest, c.dropped)
	default:
		fault = "golden: unknown line " + line
	}
	return fault
}

// end checks what no line claimed.
func (c *comparison) end() string {
	switch {
	case c.outcome == "no call" && c.r.Outcome == parse.Calls:
		return "a call that must not run"
	case c.outcome != "no call" && kind(c.r) != c.outcome:
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
	at := p.Offset
	switch {
	case place == "":
	case place == "at start":
		at = 0
	case place == "at end":
		at = len(g.input)
	case strings.HasPrefix(place, "after "):
		at = g.offset(place)
	default:
		return "golden: unknown place " + place
	}
	if p.Offset != at {
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
