package parse

import (
	"slices"
	"strings"
)

// named is a call whose name has been read and whose arguments are due.
type named struct {
	start   int
	name    string // as written
	closer  string // the name of the tag that ends the arguments, if not the same
	at      int    // behind the name
	body    int    // of an Action: line, where the name is due
	dialect Dialect
	react   bool // an Action Input: is due
	input   bool // and has come
	ifInput bool // it is a call only if it has come
	item    bool // the label stands behind a bullet or a number, as others may
	empty   bool // empty brackets stand behind the name: arguments may be missing
	fenced  bool // the name is the info string of a fence
	ifWhole bool // the form counts only as the whole reply or fence
	tag     bool // the name stands in a tag that a closing tag ends
	toolTag bool // the tag is the name
	id      bool // an id of the call is due
	due     bool // a marker has announced the arguments
}

// closes reports whether t has the name of the tag that ends the arguments.
func (n *named) closes(t *tag) bool {
	return t.name == n.closer || n.closer == "" && t.name == n.name
}

// beginNamed takes the name n; its arguments are due behind it.
func (s *Scanner) beginNamed(n named) bool {
	s.beginPrefix(n.start)
	s.named = n
	s.state, s.pos = stNamed, n.at
	return true
}

// nameAt takes the name at p; its arguments are due at q.
func (s *Scanner) nameAt(p int, word string, q int) bool {
	s.beginNamed(named{start: p, name: word, at: q, dialect: DialectExpression, ifWhole: !s.marker.on})
	if strings.Contains(s.text[p:q], "tool_call_argument_begin") {
		s.named.dialect, s.named.ifWhole = DialectKimi, false
	}
	if s.marker.on {
		s.named.dialect = s.markerDialect()
		if strings.HasPrefix(word, "call:") {
			s.named.dialect = DialectGemma
		}
		if s.marker.pending && s.marker.start >= s.done { // else something between was dropped
			s.named.start = s.marker.start
		}
	}
	return true
}

// betweenTags reports whether a dialect writes each argument between tags of the
// name parameter.
func betweenTags(d Dialect) bool { return d == DialectXML || d == DialectInvoke }

// inNamed looks for the arguments of a call whose name has been read.
func (s *Scanner) inNamed() bool {
	p := s.skipSpace(s.pos)
	if p == len(s.text) {
		s.pos = p
		return false
	}
	s.pos = p
	rest := s.text[p:]
	if s.named.react && !s.named.input {
		return s.dueInput(p)
	}
	switch rest[0] {
	case '{', '[', '"':
		return s.beginArgs(p)
	case '<':
		var t tag
		ok := lexTag(&t, rest, s.eof)
		switch {
		case ok == maybe:
			return false
		case s.named.input && (ok == no || !t.bars && !t.close): // text
			return s.beginInput(p)
		}
		return s.namedTag(p, &t, ok)
	case '`':
		return s.namedFence(p)
	}
	if s.named.react {
		return s.beginInput(p)
	}
	return s.wordBeforeArgs(p)
}

// wordBeforeArgs reads the word at p that may stand between a name and its arguments:
// harmony's json, Mistral's id of the call.
func (s *Scanner) wordBeforeArgs(p int) bool {
	rest := s.text[p:]
	if s.named.dialect == DialectHarmony {
		switch begins(rest, "json", s.eof) {
		case yes:
			s.pos = p + len("json")
			return true
		case maybe:
			return false
		}
	}
	if s.named.id {
		n := wordLen("_"+rest[:min(len(rest), 5*maxName)]) - len("_") // it may begin with a digit
		if mayGoOn(rest, n) && !s.eof {
			return false
		}
		if n > 0 {
			s.named.id, s.pos = false, p+n
			return true
		}
	}
	return s.noArgs()
}

// beginInput starts reading an Action Input that is plain text, at p.
func (s *Scanner) beginInput(p int) bool {
	rest := s.text[p:]
	l, n := lexLabel(rest)
	switch {
	case l == labelObservation: // nothing was written
		return s.withoutInput(p + n)
	case l != labelNone:
		return s.noArgs()
	case !s.eof && mayBeLabel(rest):
		return false
	}
	s.state, s.named.body = stInput, p
	return true
}

// beginArgs starts reading the arguments at p.
func (s *Scanner) beginArgs(p int) bool {
	if s.text[p] == '[' {
		var t tag
		if ok := lexBracket(&t, s.text[p:], s.eof); ok == maybe {
			return false
		} else if ok == yes {
			if t.kind == markPart {
				s.named.id, s.pos = t.name == "[CALL_ID]", p+t.n
				return true
			}
			return s.noArgs()
		}
	}
	c := s.candidate(p)
	c.named = true
	s.read.beginAny(p)
	s.read.bare = s.named.dialect == DialectGemma || strings.HasPrefix(s.named.name, "call:")
	return true
}

// namedTag reads the tag t where arguments are due; no says that none is there.
func (s *Scanner) namedTag(p int, t *tag, ok tri) bool {
	switch {
	case ok == no:
		return s.noArgs()
	case t.kind == markPart || t.kind == markMessage:
		s.named.due, s.pos = true, p+t.n
		return true
	case !t.close && t.kind == markArgKey:
		s.named.dialect = DialectGLM
		return s.beginTagArgs(p)
	case !t.close && (t.kind == markParam || s.named.toolTag && !t.bars):
		return s.beginTagArgs(p)
	case s.named.due: // arguments were announced
		return s.noArgs()
	case t.close || t.kind == markEnd || t.kind == markToken:
		end := p
		if !s.named.tag || t.kind == markFunction || s.named.closes(t) {
			end = p + t.n
		}
		if s.marker.on && !s.named.tag {
			s.marker = marker{dialect: s.marker.dialect}
		}
		return s.withoutArgs(end, false)
	}
	return s.noArgs()
}

// namedFence reads a fence around arguments, or the backtick before the object of an
// Action Input in a code span.
func (s *Scanner) namedFence(p int) bool {
	n := runLen(s.text, p)
	q := p + n
	for q < len(s.text) && q < p+n+32 && (isLetter(s.text[q]) || isSpace(s.text[q])) {
		q++
	}
	if q == len(s.text) && !s.eof {
		return false
	}
	if n == 1 && s.named.input && q == p+n && strings.HasPrefix(s.text[q:], "{") {
		s.tick, s.pos = run{p, n}, q
		return true
	}
	if n < 3 || q == len(s.text) || s.text[q] != '{' || !callInfos[strings.ToLower(strings.TrimSpace(s.text[p+n:q]))] {
		return s.noArgs()
	}
	s.fence = fence{kind: fenceCalls, char: '`', run: run{p, n}, body: q, line: s.lineStart(p), used: true}
	s.pos = q
	return true
}

// closesInput reports whether the backtick at p closes the code span of an Action Input.
func (s *Scanner) closesInput(p int) bool {
	c := &s.cand
	return s.called && c.nameApart && c.tick.n == 1 && c.end == p
}

// noArgs ends a named call whose arguments cannot be found at pos.
func (s *Scanner) noArgs() bool {
	if s.named.empty {
		return s.withoutArgs(s.named.at, mayBeInput(s.text[s.pos:min(len(s.text), s.pos+maxTag)]))
	}
	s.state = stText
	if s.named.fenced || s.named.ifWhole {
		p := s.named.start
		s.named = named{}
		if s.marker.on && s.marker.pending {
			s.usedMarker(p)
		}
		s.lead = true
		s.called = false
		return s.pass(p, s.pos)
	}
	if s.named.toolTag || s.named.ifInput && !s.named.input || s.mentioned() {
		s.named = named{}
		return s.pass(s.pos, s.pos)
	}
	s.fault(ReasonMalformed, s.pos, "the arguments of "+bounded(s.named.name))
	s.marker.pending = false
	s.named = named{}
	return s.pass(s.pos, s.pos)
}

// mentioned reports whether the tag that named a call stands in the middle of a
// sentence: prose before and behind it on its line.
func (s *Scanner) mentioned() bool {
	n := s.named
	if !n.tag || n.start < s.done || s.blankBefore(n.start) || s.marker.on {
		return false
	}
	return !strings.Contains(s.text[n.at:s.pos], "\n")
}

// finishNamed takes the arguments that the reader has read.
func (s *Scanner) finishNamed() bool {
	r, c := &s.read, &s.cand
	s.state = stText
	c.nameApart = true
	if r.failed() {
		c.start = s.named.start
		s.acceptFault(r.problem, s.named.ifWhole)
		s.onlyCalls = false
		s.lead, s.called = true, false
		return true
	}
	args := r.canonical()
	if r.single {
		args = args[1 : len(args)-1]
	}
	hard, calls := !s.named.ifWhole && !s.named.fenced, len(s.calls)
	s.finishArgs(args, c.end)
	if s.called && len(s.calls) > calls {
		s.argsMayGoOn = hard
		s.plainString = r.single && slices.ContainsFunc(s.calls[calls].call.Repairs, func(r Repair) bool { return r.Code == RepairPositional })
	}
	return true
}

// withoutArgs takes the named call, which ends at end, as one without arguments;
// byEnd says that they may have been due.
func (s *Scanner) withoutArgs(end int, byEnd bool) bool {
	c := s.candidate(s.named.start)
	c.byEnd = c.byEnd || byEnd
	s.read.idle(s.named.start)
	return s.finishArgs("", end)
}

// finishArgs takes args, canonical JSON or "" for none, as the arguments of the
// named call, the candidate, which ends at end.
func (s *Scanner) finishArgs(args string, end int) bool {
	n := s.named
	s.floorAt(end)
	if n.fenced && s.wholeCall(args) {
		return true
	}
	s.named = named{}
	s.state, s.pos = stText, end
	hard := !n.ifWhole && !n.fenced
	c := &s.cand
	c.start, c.end, c.named, c.nameApart = n.start, end, false, true
	c.place.hard, c.expr = hard, c.expr || !hard
	if n.fenced {
		c.place.fence = true
	}
	c.verdict = s.namedVerdict(n.name, args, Span{n.start, end}, n.dialect)
	if s.fence.used && s.fence.kind == fenceCalls && !n.ifWhole {
		c.expr = false
	}
	s.accept()
	s.argsInTags = betweenTags(n.dialect)
	return true
}

// wholeCall takes the content of a fence whose info string names a tool, if it
// is itself a call.
func (s *Scanner) wholeCall(args string) bool {
	if args == "" || args[0] != '{' {
		return false
	}
	c := &s.cand
	j := judge{reg: &s.reg, c: args, parts: s.read.parts, span: Span{c.start, c.end}, place: place{fence: true}}
	var shape shape
	if j.shape(&shape, 0); len(shape.names) == 0 {
		return false
	}
	v := j.object(0, 0)
	if v.kind != isCalls {
		return false
	}
	s.named = named{}
	c.named, c.verdict = false, v
	s.state = stText
	s.describe(c.verdict.calls)
	return s.accept()
}

// namedVerdict judges a call whose name stands apart from its arguments.
func (s *Scanner) namedVerdict(name, args string, span Span, d Dialect) verdict {
	j := judge{reg: &s.reg, span: span, place: place{hard: true}}
	tool, exact := s.reg.lookup(name)
	var v verdict
	if tool >= 0 {
		v = j.finish(call{tool: tool, exact: exact || s.properRespelling(name, d), span: span, args: args, dialect: d})
	} else {
		v = s.unknownNamed(name, args, span, d)
	}
	for i := range v.calls {
		f := &v.calls[i]
		f.call.Repairs = append(f.call.Repairs, s.read.repairs...)
	}
	return v
}

// properRespelling reports whether a dialect writes names with a namespace or a
// counter, so that taking it off is no repair.
func (s *Scanner) properRespelling(name string, d Dialect) bool {
	switch d {
	case DialectHarmony, DialectKimi, DialectGemma, DialectDeepSeek:
		return true
	}
	return strings.HasPrefix(name, "call:") || strings.HasPrefix(name, "functions.")
}

// unknownNamed judges a call in a hard marker whose name is not registered.
func (s *Scanner) unknownNamed(name, args string, span Span, d Dialect) verdict {
	name = spellings(name)[1] // without namespace and counter
	if !wellFormed(name) || args == "" || args[0] != '{' {
		return faulty(ReasonMalformed, span.Start, "the name of a tool and an object of arguments")
	}
	return verdict{kind: isCalls, calls: []found{{
		call:  Call{Name: name, Args: []byte(args), Span: span, Dialect: d, Marked: true},
		byEnd: true,
	}}}
}
