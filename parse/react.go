package parse

import (
	"slices"
	"strings"
)

// inAction reads what stands behind an Action: label: the name of a tool, or nothing.
func (s *Scanner) inAction() bool {
	start := s.named.body
	at, below := s.actionName(start)
	n := wordLen(s.text[at:])
	if mayGoOn(s.text[at:], n) && !s.eof {
		return false
	}
	s.named.ifInput = s.named.ifInput || below
	n, known := callName(s.text[at:], &s.reg)
	switch behind := s.text[at+n:]; {
	case known && behind == "(" && !s.eof:
		return false
	case known && !strings.HasPrefix(behind, "()") && !s.named.ifInput:
		s.state = stText
		s.beginPrefix(s.named.start)
		s.marker = marker{on: true, pending: true, start: s.named.start, end: start, dialect: DialectReAct}
		s.lead, s.pos = true, at
		s.beginExpression(at, n)
		return true
	case wordLen(s.text[at:]) == 0:
		return s.noAction(start)
	}
	return s.actionLine(at)
}

// actionName returns where the name of a tool may begin behind an Action: label that ends
// at start: on its line, or below if nothing else stands there.
func (s *Scanner) actionName(start int) (at int, below bool) {
	end := min(len(s.text), start+4*maxName)
	for at = start; at < end && strings.IndexByte(" \t*`'\"[", s.text[at]) >= 0; {
		at++
	}
	next := start
	for next < end && isSpace(s.text[next]) {
		next++
	}
	if strings.Count(s.text[start:next], "\n") == 1 && (next == len(s.text) || isLetter(s.text[next])) {
		return next, true
	}
	return at, false
}

// actionLine reads a name that stands alone on its line, which goes on at start, or
// before the label of its input, or before a remark.
func (s *Scanner) actionLine(start int) bool {
	line, _, ended := strings.Cut(s.text[start:min(len(s.text), start+4*maxName)], "\n")
	line, _, token := strings.Cut(line, "<")
	i := strings.Index(line, "Action Input")
	switch {
	case i > 0:
		line = line[:i]
	case !ended && !s.eof && len(s.text)-start < 4*maxName:
		return false
	case !ended && !token && len(line) == 4*maxName:
		return s.noAction(s.named.body)
	}
	name := strings.Trim(line, " \t\r*`'\"[].,:;")
	name, s.named.empty = strings.CutSuffix(name, "()")
	if !s.reg.known(name) {
		if name = s.beforeRemark(name); name == "" || s.named.dialect != DialectReAct {
			return s.noAction(s.named.body)
		}
		s.named.ifInput = true
	}
	s.named.ifInput = s.named.ifInput || i > 0
	s.named.name, s.named.at = name, start+len(line)
	return s.beginNamed(s.named)
}

// beforeRemark returns the name of a tool that a line begins with, if words follow that
// name no other and hold no arguments.
func (s *Scanner) beforeRemark(line string) string {
	n := wordLen(line)
	name := strings.TrimRight(line[:n], ".:/-")
	if !s.reg.known(name) || strings.ContainsAny(line, "{}[]=") {
		return ""
	}
	words := strings.FieldsFunc(line[n:], func(c rune) bool { return strings.ContainsRune(" \t,;()`", c) })
	if slices.ContainsFunc(words, s.reg.known) {
		return ""
	}
	return name
}

// noAction reads an Action: label without a registered name: a soft marker.
func (s *Scanner) noAction(end int) bool {
	n := s.named
	s.named = named{}
	s.state = stText
	if n.ifInput {
		return s.pass(n.start, n.body)
	}
	s.openSoft(n.start, end, DialectCommandR)
	return true
}

// dueInput reads the label of an Action's input.
func (s *Scanner) dueInput(p int) bool {
	end := min(len(s.text), p+maxTag)
	lead := labelLead(s.text[p:end])
	word := p + lead
	rest := s.text[word:]
	l, n := s.inputLabel(word)
	at := word + n
	if lead > 0 {
		at = s.boldEnd(at, end)
	}
	switch {
	case (rest == "" || lead > 0 && at == len(s.text)) && !s.eof:
		return false
	case l == labelInput || l == labelArgs:
		s.named.input = true
		s.pos = at
		return true
	case l == labelObservation:
		return s.withoutInput(at)
	case mayBeInput(rest[:min(len(rest), maxTag)]) && !s.eof:
		return false
	case (strings.HasPrefix(rest, "{") || strings.HasPrefix(rest, "```")) && s.named.dialect == DialectReAct && !s.named.ifInput:
		s.named.input = true
		return true
	}
	return s.noArgs()
}

// inputLabel reads the label at p, where an Action's input is due; n is its length. Plans
// and explanations have such lines, too: behind a bullet, and for a common word in one,
// only an object is meant.
func (s *Scanner) inputLabel(p int) (l label, n int) {
	common := false
	if l, n = lexLabel(s.text[p:]); l == labelNone {
		l, n, _ = lexRows(inputLabels, s.text[p:])
		common = true
	}
	if l == labelInput && (s.named.item || common && s.named.ifInput) {
		end := min(len(s.text), p+n+maxTag)
		at := s.lookPast(end - len(trimLeft(s.text[p+n:end], boldMarks)))
		if !strings.HasPrefix(s.text[at:], "{") {
			return labelNone, 0
		}
	}
	return l, n
}

// mayBeInput reports whether line could still become one that begins with an Action's
// input, or with its label.
func mayBeInput(line string) bool {
	line = line[labelLead(line):]
	l, n, may := lexRows(inputLabels, line)
	if l == labelNone {
		l, n = lexLabel(line)
	}
	may = may || l == labelInput && strings.Trim(line[n:], " *_\t\r\n") == "" // an object may follow
	return line == "" || may || mayBeLabel(line) || mayBeLead(line) || strings.HasPrefix("```", line)
}

// withoutInput takes an Action without arguments, as the label of a result ends
// before end. The label belongs to the call: without it an input might be due.
func (s *Scanner) withoutInput(end int) bool {
	s.withoutArgs(end, false)
	return s.endReply(end, dropResult)
}

// inInput reads an Action Input that is plain text, up to the next label.
func (s *Scanner) inInput() bool {
	for {
		i := strings.IndexByte(s.text[s.pos:], '\n')
		if i < 0 {
			s.pos = len(s.text)
			return s.eof && s.plainInput(len(s.text), true)
		}
		next := s.pos + i + 1
		rest := strings.TrimLeft(s.text[next:min(len(s.text), next+maxLook)], " \t*")
		if l, _ := lexLabel(rest); l != labelNone {
			return s.plainInput(s.pos+i, false)
		}
		if !s.eof && (rest == "" || mayBeLabel(rest)) && len(s.text)-next < maxLook {
			s.pos += i
			return false
		}
		s.pos = next
	}
}

// plainInput takes the text up to end as the one string argument.
func (s *Scanner) plainInput(end int, byEnd bool) bool {
	end = s.cutToken(s.named.body, end)
	input := s.text[s.named.body:end]
	size := withoutTokens(input)
	value := inputValue(input[:size])
	if value != "" { // else the tokens show that nothing was due
		end = s.named.body + size
	}
	s.candidate(s.named.start)
	s.cand.byEnd = s.cand.byEnd || byEnd
	s.read.idle(s.named.start)
	args := string(appendQuoted(nil, value))
	switch value {
	case "", "None", "none", "N/A", "null":
		args = "null"
	}
	n := s.named
	s.named = named{}
	s.state = stText
	s.cand.end, s.pos = end, end
	s.floorAt(end)
	s.cand.place.hard = true
	s.cand.verdict = s.namedVerdict(n.name, args, Span{n.start, end}, n.dialect)
	if value == "..." || value == "…" { // it only shows where an input goes
		s.cand.verdict = faulty(ReasonMalformed, n.start, "an input")
	}
	return s.accept()
}

// withoutTokens is the length of an input without the tokens at its end. A closing
// tag that the input itself has opened is content.
func withoutTokens(input string) int {
	for name, kinds := "", 0; ; {
		t := strings.TrimRight(input, " \t\r\n")
		i := strings.LastIndexByte(t, '<')
		if i < 0 {
			return len(input)
		}
		var token tag
		ok := lexTag(&token, t[i:], true)
		ends := token.kind == markToken || token.kind == markEnd || token.kind == markHard && token.close
		if ok != yes || !ends || token.n < len(t)-i {
			return len(input)
		}
		if token.name != name { // else no tag has opened it, as was seen
			name = token.name
			if kinds++; kinds > maxEndKinds || strings.Contains(t[:i], "<"+name+">") {
				return len(input)
			}
		}
		input = t[:i]
	}
}

// maxEndKinds is how often the tokens at the end of an input may change.
const maxEndKinds = 16

// inputValue is the text of an input without what stands around it: white space,
// a code span, one pair of quotes.
func inputValue(input string) string {
	v := strings.TrimSpace(strings.Trim(strings.TrimSpace(input), "`"))
	for _, q := range [...]struct{ open, close string }{{"'", "'"}, {"“", "”"}, {"‘", "’"}} {
		inner, opens := strings.CutPrefix(v, q.open)
		inner, closes := strings.CutSuffix(inner, q.close)
		if opens && closes && !strings.Contains(inner, q.open) && !strings.Contains(inner, q.close) {
			return inner
		}
	}
	return v
}
