package parse

import (
	"slices"
	"strings"

	"github.com/localagent/localagent/parse/internal/byteset"
)

// A label is a word, with a colon, that counts at the start of a line.
type label uint8

const (
	labelNone        label = iota
	labelAction            // ReAct: the name of a tool follows
	labelInput             // ReAct: its arguments
	labelAnswer            // the answer
	labelObservation       // a result, which a model can only invent
	labelFunction          // Qwen-Agent: the name of a tool
	labelArgs              // Qwen-Agent: its arguments
	labelThought           // ReAct: a thought
)

// A labelRow is one spelling of a label.
type labelRow struct {
	text string
	kind label
}

// labels are all labels. One may stand in bold.
var labels = []labelRow{
	{"Thought:", labelThought},
	{"THOUGHT:", labelThought},
	{"Action:", labelAction},
	{"ACTION:", labelAction},
	{"Action Input:", labelInput},
	{"ACTION INPUT:", labelInput},
	{"ActionInput:", labelInput},
	{"Action_Input:", labelInput},
	{"Action Inputs:", labelInput},
	{"Action input:", labelInput},
	{"Final Answer:", labelAnswer},
	{"Observation:", labelObservation},
	{"Tool result:", labelObservation},
	{"Tool Result:", labelObservation},
	{"Tool response:", labelObservation},
	{"✿FUNCTION✿:", labelFunction},
	{"✿ARGS✿:", labelArgs},
	{"✿RESULT✿:", labelObservation},
	{"✿RETURN✿:", labelObservation},
}

// inputLabels are further labels of an action's input, where one is due.
var inputLabels = []labelRow{
	{"Input:", labelInput},
	{"Arguments:", labelInput},
	{"Args:", labelInput},
	{"Parameters:", labelInput},
	{"Action Arguments:", labelInput},
	{"Action Parameters:", labelInput},
	{"Tool Input:", labelInput},
}

// labelStarts are the first bytes of labels, of functools and of >>>.
var labelStarts = byteset.New(func(c byte) bool {
	return c == 'f' || c == '>' || slices.ContainsFunc(labels, func(l labelRow) bool { return l.text[0] == c })
})

// lexLabel reads the label that a line begins with; n is its length.
func lexLabel(line string) (l label, n int) {
	if line == "" || !labelStarts.Has(line[0]) {
		return labelNone, 0
	}
	l, n, _ = lexRows(labels, line)
	return l, n
}

// mayBeLabel reports whether line could still become one that begins with a label,
// functools or >>>.
func mayBeLabel(line string) bool {
	if line == "" || !labelStarts.Has(line[0]) {
		return false
	}
	_, _, more := lexRows(labels, line)
	return more || strings.HasPrefix("functools", line) || strings.HasPrefix(">>>", line)
}

// lexRows reads the label, one of rows, that line begins with; more says that it could
// still become one.
func lexRows(rows []labelRow, line string) (l label, n int, more bool) {
	for _, row := range rows {
		word := row.text[:len(row.text)-1]
		if !strings.HasPrefix(line, word) {
			more = more || strings.HasPrefix(word, line)
			continue
		}
		n := len(word) + beforeColon(line[len(word):], row.kind.numbered())
		switch {
		case n < len(line) && line[n] == ':':
			return row.kind, n + 1, false
		case n == len(line):
			more = true
		}
	}
	return labelNone, 0, more
}

// maxBeforeColon is how many bytes may stand between the word of a label and its colon.
const maxBeforeColon = 8

// beforeColon is the length of what may stand between the word of a label and its colon:
// white space, the number of the step, the end of bold text.
func beforeColon(s string, numbered bool) int {
	s = s[:min(len(s), maxBeforeColon)]
	rest := strings.TrimLeft(s, " ")
	if numbered && len(rest) < len(s) {
		rest = strings.TrimLeft(strings.TrimPrefix(rest, "#"), "0123456789")
	}
	return len(s) - len(strings.TrimLeft(rest, " *_"))
}

// numbered reports whether a step's number may follow the word, as in the paper on
// ReAct: Action 1: (https://arxiv.org/abs/2210.03629).
func (l label) numbered() bool {
	return l == labelThought || l == labelAction || l == labelInput || l == labelObservation
}

// labelLead is the length of what may stand before a label on its line: a bullet, a
// number, the sign of a heading, the beginning of bold text. What is quoted is no label.
func labelLead(line string) int {
	if line == "" || !leadStarts.Has(line[0]) {
		return 0
	}
	rest := trimLeft(line, bullets)
	if rest == line {
		number := trimLeft(line, digitBytes)
		if number != line && number != "" && (number[0] == '.' || number[0] == ')') {
			rest = number[1:]
		}
	}
	if rest != line && !strings.HasPrefix(rest, " ") {
		return 0
	}
	n := len(line) - len(trimLeft(rest, boldMarks))
	if rest != line && n >= maxLead {
		return 0
	}
	return n
}

// The bytes that may stand before a label on its line, and those that what stands there
// may begin with.
var (
	blankMarks = byteset.New(func(c byte) bool { return strings.IndexByte(" \t\r*_>", c) >= 0 })
	boldMarks  = byteset.New(func(c byte) bool { return strings.IndexByte(" *_", c) >= 0 })
	bullets    = byteset.New(func(c byte) bool { return strings.IndexByte("#-+", c) >= 0 })
	digitBytes = byteset.New(isDigit)
	leadStarts = byteset.New(func(c byte) bool { return boldMarks.Has(c) || bullets.Has(c) || isDigit(c) })
)

// trimLeft is s without the bytes of a set that it begins with.
func trimLeft(s string, set *byteset.Set) string {
	for s != "" && set.Has(s[0]) {
		s = s[1:]
	}
	return s
}

// maxLead is how long what stands before a label on its line may become, in bytes.
const maxLead = 8

// mayBeLead reports whether a line could still become one with a label behind a bullet,
// a number or the sign of a heading.
func mayBeLead(line string) bool {
	return len(line) < maxLead && line != "" && leadStarts.Has(line[0]) && strings.Trim(line, "#-+*_0123456789.) ") == ""
}

// colon looks for a label that the colon at p ends, at the start of its line.
func (s *Scanner) colon(p int) bool {
	start := s.lineStart(p)
	if p-start > maxTag {
		return s.pass(p, p+1) // the line is no longer held back
	}
	for start < p && (s.text[start] == ' ' || s.text[start] == '\t') {
		start++
	}
	l, lead, end, is := s.labelAt(start, p)
	bold := strings.Trim(lead, "*_") == ""
	switch {
	case is == maybe:
		s.beginPrefix(start)
		return false
	case is == no:
	case l == labelAction && !bold:
		return s.actionBehind(start, end, true)
	case l == labelObservation && !bold && len(s.calls) == 0: // an item of a list that explains
	case lead == "" || s.reactThought || l != labelAnswer && l != labelObservation:
		return s.onLabel(start, l, end-start)
	}
	if at := s.actionWithin(p); at > 0 {
		return s.actionBehind(at, p+1, false)
	}
	if s.fence.kind == fenceNone && s.inDialogue(min(max(start, s.callEnd), p), p) {
		s.prose(p)
		s.state, s.pos = stRest, p+1
		return true
	}
	return s.pass(p, p+1)
}

// labelAt reads the label that the colon at p ends, on the line whose first word begins at
// start: what stands before it, and where it ends, bold type with it.
func (s *Scanner) labelAt(start, p int) (l label, lead string, end int, is tri) {
	if start < s.done {
		return labelNone, "", 0, no // a part of it has been released
	}
	lead = s.text[start : start+labelLead(s.text[start:p])]
	word := start + len(lead)
	l, n := lexLabel(s.text[word:])
	if l == labelNone || word+n != p+1 {
		return labelNone, "", 0, no
	}
	end = word + n
	if lead == "" {
		return l, lead, end, yes
	}
	end = s.boldEnd(end, p+maxTag)
	if end == len(s.text) && !s.eof {
		return labelNone, "", 0, maybe
	}
	return l, lead, end, yes
}

// boldEnd returns where the marks end that close bold type at p, before most.
func (s *Scanner) boldEnd(p, most int) int {
	for most = min(len(s.text), most); p < most && (s.text[p] == '*' || s.text[p] == '_'); {
		p++
	}
	return p
}

// actionWithin returns where the label of an action begins that the colon at p ends,
// behind the thought on its line, as models write that leave out a line break; 0 if
// there is none.
func (s *Scanner) actionWithin(p int) int {
	if !s.reactThought || s.fence.kind != fenceNone {
		return 0
	}
	from := max(s.done, p-len("Action")-maxBeforeColon)
	at := from + strings.LastIndexByte(s.text[from:p], 'A')
	if at < from || at == 0 || s.text[at-1] != ' ' {
		return 0
	}
	if l, n := lexLabel(s.text[at:]); l != labelAction || at+n != p+1 {
		return 0
	}
	return at
}

// actionBehind reads the label of an action, from p to end, behind other text on its line
// or as an item of a list: what follows is a call only if its input follows, too.
func (s *Scanner) actionBehind(p, end int, item bool) bool {
	s.onLabel(p, labelAction, end-p)
	s.named.ifInput, s.named.item = true, item
	return true
}

// onLabel acts on the label l, of n bytes, at the start of a line.
func (s *Scanner) onLabel(p int, l label, n int) bool {
	end := p + n
	switch l {
	case labelAction, labelFunction:
		s.named = named{start: p, body: end, react: true, dialect: DialectReAct}
		if l == labelFunction {
			s.named.dialect = DialectQwenAgent
		}
		s.state, s.pos = stAction, end
		return true
	case labelAnswer:
		return s.finalAnswer(p, end)
	case labelObservation:
		numbered := strings.ContainsAny(s.text[p:end], "0123456789")
		switch before := s.hasBefore(p); {
		case before && numbered && len(s.calls) == 0:
			return s.pass(p, end) // an item of a list
		case before:
			return s.endReply(p, dropResult)
		}
		s.prose(p) // a report that begins so; but nothing in it can be a call
		s.state, s.pos = stRest, end
		return true
	case labelInput, labelArgs:
		if s.lead && s.called {
			s.fault(ReasonAmbiguous, p, "one object of arguments")
		}
	case labelThought:
		s.reactThought = true
	}
	return s.pass(p, end)
}

// finalAnswer reads the label of the answer: what stood before was thought.
func (s *Scanner) finalAnswer(p, end int) bool {
	if len(s.calls) > 0 || s.group.on {
		s.dissolve()
	}
	s.finalAt = end
	s.prefix = -1
	if len(s.calls) == 0 {
		s.add(pieceText, p, dropNone)
		s.takeBack(s.beforeAnswer, func(n piece) piece {
			if n.kind == pieceText {
				n.kind = pieceThink
			}
			return n
		})
	}
	s.drop(p, end, dropLabel)
	s.beforeAnswer = s.count()
	s.onlyCalls, s.lead = false, false
	return true
}
