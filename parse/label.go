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
	{"Action:", labelAction},
	{"ACTION:", labelAction},
	{"Action Input:", labelInput},
	{"ACTION INPUT:", labelInput},
	{"ActionInput:", labelInput},
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

// labelStarts are the first bytes of labels, of functools and of >>>.
var labelStarts = byteset.New(func(c byte) bool {
	return c == 'f' || c == '>' || slices.ContainsFunc(labels, func(l labelRow) bool { return l.text[0] == c })
})

// lexLabel reads the label that a line begins with; n is its length.
func lexLabel(line string) (l label, n int) {
	if line == "" || !labelStarts.Has(line[0]) {
		return labelNone, 0
	}
	for _, row := range labels {
		if rest, ok := row.cut(line); ok && strings.HasPrefix(rest, ":") {
			return row.kind, len(line) - len(rest) + 1
		}
	}
	return labelNone, 0
}

// mayBeLabel reports whether line could still become one that begins with a label,
// functools or >>>.
func mayBeLabel(line string) bool {
	if line == "" || !labelStarts.Has(line[0]) {
		return false
	}
	for _, row := range labels {
		if len(line) < len(row.text) && strings.HasPrefix(row.text, line) {
			return true
		}
		if rest, ok := row.cut(line); ok && rest == "" {
			return true
		}
	}
	return strings.HasPrefix("functools", line) || strings.HasPrefix(">>>", line)
}

// maxStepDigits is the longest number of a step.
const maxStepDigits = 3

// cut cuts the word of the label from the start of a line, and with it what may stand
// before the colon: the number of the step and the end of bold text.
func (r labelRow) cut(line string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(line, strings.TrimSuffix(r.text, ":"))
	if number, behind := strings.CutPrefix(rest, " "); ok && behind && r.kind.numbered() {
		n := 0
		for n < len(number) && n < maxStepDigits && isDigit(number[n]) {
			n++
		}
		rest = number[n:]
	}
	return strings.TrimLeft(rest, "*"), ok
}

// numbered reports whether a step's number may follow the word, as in the paper on
// ReAct: Action 1: (https://arxiv.org/abs/2210.03629).
func (l label) numbered() bool {
	return l == labelThought || l == labelAction || l == labelInput || l == labelObservation
}

// colon looks for a label at the start of the line, which the colon at p ends.
func (s *Scanner) colon(p int) bool {
	start := s.lineStart(p)
	if p-start > maxTag {
		return s.pass(p, p+1) // the line is no longer held back
	}
	for start < p && (s.text[start] == ' ' || s.text[start] == '\t') {
		start++
	}
	bold := start
	for bold < p && s.text[bold] == '*' {
		bold++
	}
	if start >= s.done {
		if l, n := lexLabel(s.text[bold:]); l != labelNone && bold+n == p+1 {
			if bold == start {
				return s.onLabel(start, l, n)
			}
			for bold+n < len(s.text) && s.text[bold+n] == '*' {
				n++
			}
			if bold+n == len(s.text) && !s.eof {
				s.beginPrefix(start)
				return false
			}
			if s.reactThought || l != labelAnswer && l != labelObservation {
				return s.onLabel(start, l, bold-start+n)
			}
		}
	}
	if s.fence.kind == fenceNone && s.inDialogue(min(max(start, s.callEnd), p), p) {
		s.prose(p)
		s.state, s.pos = stRest, p+1
		return true
	}
	return s.pass(p, p+1)
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
