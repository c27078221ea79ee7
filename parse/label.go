package parse

import (
	"slices"
	"strings"

	"github.com/localagent/localagent/parse/internal/byteset"
)

// lineWord is a word that counts at the start of a line.
type lineWord uint8

const (
	wordNone lineWord = iota
	wordAction
	wordInput
	wordAnswer
	wordObservation
	wordFunction
	wordArgs
	wordThought
)

type labelled struct {
	text string
	word lineWord
}

var lineWords = []labelled{
	{"Thought:", wordThought},
	{"Action:", wordAction},
	{"ACTION:", wordAction},
	{"Action Input:", wordInput},
	{"ACTION INPUT:", wordInput},
	{"ActionInput:", wordInput},
	{"Action input:", wordInput},
	{"Final Answer:", wordAnswer},
	{"Observation:", wordObservation},
	{"Tool result:", wordObservation},
	{"Tool Result:", wordObservation},
	{"Tool response:", wordObservation},
	{"✿FUNCTION✿:", wordFunction},
	{"✿ARGS✿:", wordArgs},
	{"✿RESULT✿:", wordObservation},
	{"✿RETURN✿:", wordObservation},
}

// beginsLine are the first bytes of line words, of functools and of >>>.
var beginsLine = byteset.New(func(c byte) bool {
	return c == 'f' || c == '>' || slices.ContainsFunc(lineWords, func(l labelled) bool { return l.text[0] == c })
})

// lexLine reads the word that a line begins with; n is its length.
func lexLine(line string) (w lineWord, n int) {
	if line == "" || !beginsLine.Has(line[0]) {
		return wordNone, 0
	}
	for _, l := range lineWords {
		if rest, ok := l.cut(line); ok && strings.HasPrefix(rest, ":") {
			return l.word, len(line) - len(rest) + 1
		}
	}
	return wordNone, 0
}

// mayBeLineWord reports whether a line could still become one that begins with
// a line word.
func mayBeLineWord(line string) bool {
	if line == "" || !beginsLine.Has(line[0]) {
		return false
	}
	for _, l := range lineWords {
		if len(line) < len(l.text) && strings.HasPrefix(l.text, line) {
			return true
		}
		if rest, ok := l.cut(line); ok && rest == "" {
			return true
		}
	}
	return strings.HasPrefix("functools", line) || strings.HasPrefix(">>>", line)
}

// maxStepDigits is the longest number of a step.
const maxStepDigits = 3

// cut cuts the word, its colon apart, from the start of a line, and with it what may
// stand before the colon: the number of the step and the end of bold text.
func (l labelled) cut(line string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(line, strings.TrimSuffix(l.text, ":"))
	if number, behind := strings.CutPrefix(rest, " "); ok && behind && l.word.numbered() {
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
func (w lineWord) numbered() bool {
	return w == wordThought || w == wordAction || w == wordInput || w == wordObservation
}

// colon looks for a word at the start of the line that the colon at p ends.
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
		if w, n := lexLine(s.text[bold:]); w != wordNone && bold+n == p+1 {
			if bold == start {
				return s.lineWord(start, w, n)
			}
			for bold+n < len(s.text) && s.text[bold+n] == '*' {
				n++
			}
			if bold+n == len(s.text) && !s.eof {
				s.beginPrefix(start)
				return false
			}
			if s.reactThought || w != wordAnswer && w != wordObservation {
				return s.lineWord(start, w, bold-start+n)
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

// lineWord acts on a word at the start of a line.
func (s *Scanner) lineWord(p int, w lineWord, n int) bool {
	end := p + n
	switch w {
	case wordAction, wordFunction:
		s.named = named{start: p, body: end, react: true, dialect: DialectReAct}
		if w == wordFunction {
			s.named.dialect = DialectQwenAgent
		}
		s.state, s.pos = stAction, end
		return true
	case wordAnswer:
		return s.finalAnswer(p, end)
	case wordObservation:
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
	case wordInput, wordArgs:
		if s.lead && s.called {
			s.fault(ReasonAmbiguous, p, "one object of arguments")
		}
	case wordThought:
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
