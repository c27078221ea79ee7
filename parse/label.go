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
