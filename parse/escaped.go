package parse

import "strings"

// A model may encode a whole call twice: the object is the text of a JSON
// string, with or without the quotes around it.

// escapedAt begins an object whose quotes are escaped at the brace p.
func (s *Scanner) escapedAt(p int) tri {
	if !strings.HasPrefix(s.text[p:], `{\"`) {
		return s.maybeIf(s.text[p:] == `{\`)
	}
	if !s.lead && strings.Trim(s.text[s.lineStart(p):p], "\"'` \t") != "" {
		s.pass(p, p+1) // program text or a quotation in a sentence
		return yes
	}
	s.candidate(p)
	s.escaped = escaped{}
	s.state, s.pos = stEscaped, p
	return yes
}

// inEscaped looks for the end of an object whose quotes are escaped. It starts
// at the candidate's brace.
func (s *Scanner) inEscaped() bool {
	e := &s.escaped
	for s.pos < len(s.text) {
		switch c := s.text[s.pos]; c {
		case '\\':
			n := escapeLen(s.text[s.pos:])
			if n == 0 {
				if !s.eof {
					return false
				}
				n = len(s.text) - s.pos
			}
			if s.text[s.pos:s.pos+n] == `\"` {
				e.open = !e.open
			}
			s.pos += n
			continue
		case '{':
			if !e.open {
				e.depth++
			}
		case '}':
			if e.open {
				break
			}
			if e.depth--; e.depth == 0 {
				s.pos++
				return s.finishEscaped()
			}
		}
		s.pos++
	}
	return false
}

// escaped is how far an object with escaped quotes has been read.
type escaped struct {
	depth int
	open  bool // in a string
}

// escapeLen is the length of what s begins with, in a text that was encoded twice: \"
// for a quote, or \\ and what that escapes. It is 0 if s is too short to tell.
func escapeLen(s string) int {
	switch {
	case len(s) < 2:
		return 0
	case s[1] != '\\':
		return 2
	case len(s) < 3 || s[2] == '\\' && len(s) < 4:
		return 0
	case s[2] == '\\':
		return 4
	}
	return 3
}

// finishEscaped reads the object that stands between the candidate's start and
// pos.
func (s *Scanner) finishEscaped() bool {
	c := &s.cand
	c.end = s.pos
	s.floorAt(c.end)
	s.state = stText
	inner, bad := readWhole(`"` + s.text[c.start:c.end] + `"`)
	if bad == "" {
		return s.finishDoubled(inner)
	}
	return s.reject()
}

// finishDoubled judges a candidate that is one JSON string with a call in it.
func (s *Scanner) finishDoubled(quoted string) bool {
	c := &s.cand
	object, bad := readWhole(strings.TrimSpace(unquote(quoted)) + " ")
	if bad != "" || object[0] != '{' {
		return s.reject()
	}
	j := judge{reg: &s.reg, c: object, span: Span{c.start, c.end}, place: c.place}
	c.verdict = j.value(0, 0)
	if c.verdict.kind != isCalls || len(c.verdict.calls) != 1 || !c.place.hard && s.o.ExpectJSON {
		return s.reject()
	}
	f := &c.verdict.calls[0].call
	f.Repairs = append([]Repair{{RepairDoubledEncoding, c.start}}, f.Repairs...)
	f.Dialect = s.dialect(f.Dialect)
	return s.accept()
}

// quotedList judges a candidate that is one string with a list of call expressions
// in it.
func (s *Scanner) quotedList() verdict {
	c := &s.cand
	quoted, _ := oneElement(string(s.read.out))
	r := newReader(unquote(quoted))
	r.reg = &s.reg
	r.begin(0)
	r.calls = true
	if st := r.run(); st != readClosed || r.failed() || strings.TrimSpace(r.text[r.pos:]) != "" {
		return faulty(ReasonMalformed, c.start, "a list of calls with literal arguments")
	}
	j := judge{reg: &s.reg, c: string(r.out), span: Span{c.start, c.end}, place: c.place}
	plain := s.text[c.start+1:c.end-1] == r.text
	if plain { // the calls have places of their own
		for _, p := range r.parts {
			j.parts = append(j.parts, part{p.out, Span{c.start + 1 + p.span.Start, c.start + 1 + p.span.End}})
		}
	}
	v := j.value(0, 0)
	if len(v.calls) > 1 && !plain {
		return faulty(ReasonMalformed, c.start, "a list of calls without quotes around it")
	}
	for i := range v.calls {
		v.calls[i].call.Dialect, v.calls[i].expr = DialectPythonic, true
	}
	s.describe(v.calls)
	return v
}

// escapedName is the first string value of an object with escaped quotes.
func escapedName(s string) string {
	parts := strings.SplitN(s, `\"`, 5)
	if len(parts) < 5 || !isNameKey(parts[1]) {
		return ""
	}
	return bounded(parts[3])
}
