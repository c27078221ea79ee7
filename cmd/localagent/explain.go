package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/localagent/localagent/parse"
)

// explain shows a reading to a person: what the reply is, then its lines with
// the spans marked under them.
func explain(s *screen, text string, r *parse.Result) {
	x := &explainer{s: s, text: text, lines: lineStarts(text)}
	x.verdict(r)
	for _, c := range r.Calls {
		x.call(styleGood, "call", c)
	}
	for _, c := range r.Void {
		x.call(styleWarn, "void (not to be run)", c)
	}
	for _, d := range r.Dropped {
		x.mark(d.Span, styleDim, "dropped: "+d.Reason)
	}
	if p := r.Problem; p != nil {
		x.mark(parse.Span{Start: p.Offset, End: p.Offset}, styleError, problemText(p))
	}
	x.draw()
}

// An explainer draws text with marks under it.
type explainer struct {
	s     *screen
	text  string
	lines []int // where each line begins
	marks []mark
}

// A mark is a note under a span of the text.
type mark struct {
	span  parse.Span
	style style
	note  string
}

func (x *explainer) mark(at parse.Span, look style, note string) {
	x.marks = append(x.marks, mark{at, look, note})
}

// verdict is the first line: the kind of the reply.
func (x *explainer) verdict(r *parse.Result) {
	look, text := styleError, "not to be used; ask again"
	switch r.Outcome {
	case parse.Calls:
		look, text = styleGood, plural(len(r.Calls), "call")+" to run"
	case parse.Final:
		look, text = styleGood, "an answer, nothing to run"
	}
	kind := kinds[r.Outcome]
	x.s.put(span{look, kind}, x.s.fold(": "+text, len(kind), "  "), "\n")
}

func (x *explainer) call(look style, what string, c parse.Call) {
	args := describeArgs(c.Args, 60)
	x.mark(c.Span, look, strings.TrimRight(fmt.Sprintf("%s: %s %s", what, c.Name, args), " ")+" ("+string(c.Dialect)+")")
	for _, r := range c.Repairs {
		x.mark(parse.Span{Start: r.Offset, End: r.Offset}, styleWarn, "repaired: "+string(r.Code))
	}
}

func problemText(p *parse.Problem) string { return string(p.Reason) + expectation(p) }

// around is the number of unmarked lines shown beside marked ones.
const around = 1

// draw writes the lines that have marks, and those around them.
func (x *explainer) draw() {
	if len(x.marks) == 0 {
		return
	}
	slices.SortStableFunc(x.marks, func(a, b mark) int { return cmp.Compare(a.span.Start, b.span.Start) })
	show := make(map[int][]mark)
	for _, m := range x.marks {
		first, last := x.lineOf(m.span.Start), x.lineOf(max(m.span.Start, m.span.End-1))
		show[first] = append(show[first], m)
		for n := first - around; n <= last+around; n++ {
			if _, ok := show[n]; !ok && n >= 0 && n < len(x.lines) {
				show[n] = nil
			}
		}
	}
	gutter := len(strconv.Itoa(len(x.lines)))
	prev := -1
	for n := range x.lines {
		marks, ok := show[n]
		if !ok {
			continue
		}
		if n != prev+1 {
			x.s.put(span{styleDim, strings.Repeat(" ", gutter) + " ⋮"}, "\n")
		}
		prev = n
		x.line(n, gutter, marks)
	}
}

// line draws one line and its marks. A line too long for the screen is drawn
// once for each mark, around it.
func (x *explainer) line(n, gutter int, marks []mark) {
	text := x.lineText(n)
	room := x.room() - gutter - 3
	if len(marks) == 0 || textWidth(display(text)) <= room {
		x.source(gutter, strconv.Itoa(n+1), cutWidth(display(text), room))
	}
	for _, m := range marks {
		from := min(m.span.Start-x.lines[n], len(text))
		to := min(max(m.span.End-x.lines[n], from), len(text))
		before, marked, after := display(text[:from]), display(text[from:to]), display(text[to:])
		if textWidth(before+marked+after) > room {
			before = keepEnd(before, room/4)
			marked = cutWidth(marked, room*5/8)
			x.source(gutter, strconv.Itoa(n+1), cutWidth(before+marked+after, room))
		}
		x.note(gutter, textWidth(before), max(1, textWidth(marked)), m)
	}
}

// note draws the carets of a mark and what it says: behind them, or below where a
// terminal has no room there.
func (x *explainer) note(gutter, col, carets int, m mark) {
	lead := span{styleDim, strings.Repeat(" ", gutter) + " │ "}
	under, place := strings.Repeat(" ", col)+strings.Repeat("^", carets), " at byte "+strconv.Itoa(m.span.Start)
	if room := x.room() - gutter - 3; x.s.tty && col+carets+1+textWidth(m.note+place) > room {
		x.s.put(lead, span{m.style, under}, "\n")
		for row := range strings.SplitSeq(wrap(m.note+place, room-3), "\n") {
			x.s.put(lead, "  ", span{m.style, row}, "\n")
		}
		return
	}
	x.s.put(lead, span{m.style, under + " " + m.note}, span{styleDim, place}, "\n")
}

func (x *explainer) source(gutter int, number, text string) {
	x.s.put(span{styleDim, fmt.Sprintf("%*s │ ", gutter, number)}, text, "\n")
}

// room is the number of columns to draw in.
func (x *explainer) room() int {
	if x.s.tty {
		return x.s.width()
	}
	return 160
}

// keepEnd is the end of s, at most max columns, with an ellipsis before it.
func keepEnd(s string, max int) string {
	total := textWidth(s)
	if total <= max {
		return s
	}
	var u ruler
	n := 0
	for i, r := range s {
		if total-n <= max-1 {
			return "…" + s[i:]
		}
		n += u.add(r)
	}
	return "…"
}

// lineText is line n without its line break.
func (x *explainer) lineText(n int) string {
	end := len(x.text)
	if n+1 < len(x.lines) {
		end = x.lines[n+1] - 1
	}
	return x.text[x.lines[n]:end]
}

// lineOf is the line that holds the byte at offset.
func (x *explainer) lineOf(offset int) int {
	n, begins := slices.BinarySearch(x.lines, offset)
	if begins {
		return n
	}
	return n - 1
}

// lineStarts are the offsets at which the lines of text begin.
func lineStarts(text string) []int {
	starts := []int{0}
	for i := range len(text) {
		if text[i] == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// display is text of one line as it is drawn: clean, each tab one column wide.
func display(s string) string {
	return clean(strings.ReplaceAll(strings.TrimSuffix(s, "\r"), "\t", " "))
}
