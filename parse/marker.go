package parse

import "strings"

// marker is the hard marker that is open.
type marker struct {
	on      bool // there is one
	pending bool // nothing has followed it yet
	start   int
	end     int     // behind the last of the tags and tokens that it is made of
	before  bool    // prose stands before it on its line
	list    bool    // a list of calls has been read in it
	textAt  int     // of one that was left before its end: where text stands behind its call expressions, or 0
	dialect Dialect // of the calls in it, if they have one of their own
}

// openMarker opens a hard marker. One that is opened again before anything
// followed is one marker.
func (s *Scanner) openMarker(p, end int, t *tag) bool {
	if s.namesTool(t) {
		return s.toolAttribute(p, end, t)
	}
	s.beginPrefix(p)
	if !s.marker.pending {
		s.marker = marker{start: p, before: !s.blankBefore(p)}
		if s.called || s.impliedTag {
			s.marker.before = false
		}
	}
	s.marker.on, s.marker.pending, s.marker.end = true, true, end
	if t.dialect != "" && (s.marker.dialect == "" || t.dialect != DialectDeepSeek) {
		s.marker.dialect = t.dialect // Kimi's tokens and DeepSeek's share a name
	}
	s.lead, s.called, s.impliedTag = true, false, false
	s.pos = end
	return true
}

// closeMarker closes the hard marker. Without an open one it stands for the
// opening tag of a call directly behind it.
func (s *Scanner) closeMarker(p, end int) bool {
	if at := s.marker.textAt; at > 0 && hasWord(s.text[at:p]) {
		s.fault(ReasonMalformed, at, "a call, or the end of the marker")
	}
	switch {
	case s.marker.on && s.marker.pending:
		s.emptyMarker(s.marker, s.marker.end)
		s.prefix = -1
		s.onlyCalls = false
		s.drop(p, end, dropMarker)
	case s.marker.on || s.called:
		s.drop(p, end, dropMarker)
	default:
		s.beginPrefix(p)
		s.lead = true
	}
	s.marker = marker{}
	s.impliedTag, s.called = true, false
	s.pos = end
	return true
}

// leaveMarker leaves the hard marker that is open: text stands at p. Directly behind a
// call expression it is a part of it, or of another that cannot be read, if it stands on
// the same line or before the end of the marker.
func (s *Scanner) leaveMarker(p int) {
	closes := s.text[s.marker.start] == '<' // what [TOOL_CALLS] begins has no end
	s.marker = marker{}
	switch c := s.text[p]; {
	case !s.called || !s.wasExpr:
	case s.bareExpr && (isLetter(c) || isDigit(c)) && !strings.Contains(s.text[s.callEnd:p], "\n"):
		s.fault(ReasonMalformed, p, "the end of the line")
	case closes:
		s.marker.textAt = p
	}
}

// usedMarker ends a hard marker that holds no call: text stands at p, where one is
// due. A marker in the middle of a sentence is only mentioned.
func (s *Scanner) usedMarker(p int) {
	m := s.marker
	s.marker = marker{}
	between := s.text[m.end:p]
	if m.before && !strings.Contains(between, "\n") && !strings.ContainsRune("{[<`", rune(s.text[p])) {
		return
	}
	s.emptyMarker(m, p)
}

// emptyMarker notes that at p no call follows the hard marker m.
func (s *Scanner) emptyMarker(m marker, p int) {
	s.atFault.set(fault{
		Problem: Problem{Reason: ReasonMalformed, Offset: p, Expected: "a call"},
		empty:   true, start: m.start, body: m.end,
	})
}

// isEmpty reports whether f is a marker without a name or arguments in it. The name of a
// tool or a key of a call that can be read in no other way may stand there in quotes or
// brackets.
func (s *Scanner) isEmpty(f fault) bool {
	if !f.empty || f.body == 0 {
		return f.empty
	}
	begun := strings.TrimLeft(s.text[s.lookPast(f.body):], "\"'[({, \n")
	word := begun[:wordLen(begun)]
	rest := strings.TrimLeft(begun[len(word):], " ")
	key, colon := strings.CutSuffix(word, ":")
	colon = colon || rest != "" && strings.IndexByte(`"':`, rest[0]) >= 0
	switch {
	case s.reg.known(word),
		word != "" && strings.HasPrefix(rest, "("),
		key == "type" && strings.HasPrefix(rest, `"`), // "type": "function" before the name
		colon && (isNameKey(key) || isArgsKey(key) || isWrapperKey(key)):
		return false
	}
	return true
}

func (s *Scanner) markerDialect() Dialect {
	if s.marker.dialect != "" {
		return s.marker.dialect
	}
	return DialectHermes
}

// afterMarker reads what stands directly behind a hard marker.
func (s *Scanner) afterMarker(p int) bool {
	rest := s.text[p:]
	if rest[0] == '"' || rest[0] == '\'' {
		if strings.HasPrefix(rest[1:], "{") {
			s.candidate(p)
			s.read.beginAny(p)
			return true
		}
		return s.orPass(s.quotedName(p), p)
	}
	n := wordLen(rest)
	if n == 0 {
		return s.pass(p, p)
	}
	if mayGoOn(rest, n) && !s.eof {
		return false
	}
	word := strings.TrimRight(rest[:n], ":/-")
	is := opensArgs(rest, n, s.eof)
	if is == maybe {
		return false
	}
	if is == yes && wellFormed(strings.ReplaceAll(word, `\_`, "_")) {
		s.beginExpression(p, n)
		s.read.toolSeen = s.reg.known(word)
		return true
	}
	return s.nameAfterMarker(p, word, s.lookPast(p+n))
}

// nameAfterMarker reads a word behind a hard marker that is a name if its arguments, or
// what leads to them, stand at q.
func (s *Scanner) nameAfterMarker(p int, word string, q int) bool {
	if q == len(s.text) {
		if !s.eof {
			return false
		}
		if !s.reg.mayBecome(word) && !beginsNamespace(word) {
			return s.pass(p, p)
		}
		return s.nameAt(p, word, q)
	}
	switch s.text[q] {
	case '{':
		return s.nameAt(p, word, q)
	case '<', '[':
		return s.afterMarkerTag(p, word, q)
	case '`':
		if strings.Contains(s.text[p:q], "\n") {
			return s.nameAt(p, word, q)
		}
	}
	return s.pass(p, p)
}

// afterMarkerTag reads a name behind a hard marker that a tag at q follows.
func (s *Scanner) afterMarkerTag(p int, word string, q int) bool {
	var t tag
	ok := lexMarker(&t, s.text[q:], s.eof)
	switch {
	case ok == maybe:
		return false
	case ok == no:
	case t.kind == markPart && word == "function":
		s.pos = q + t.n // the kind of call; its name follows
		return true
	case t.kind == markPart:
		s.nameAt(p, word, q+t.n)
		s.named.id, s.named.due = t.name == "[CALL_ID]", true
		return true
	case t.kind == markArgKey && !t.close && s.reg.known(word):
		s.nameAt(p, word, q)
		s.named.dialect = DialectGLM
		return true
	case (t.close || t.kind == markEnd || t.kind == markToken) && s.reg.known(word):
		return s.nameAt(p, word, q)
	}
	return s.pass(p, p)
}

// quotedName reads "NAME": before an object, in a hard marker: a member of an
// object of calls without the object around it.
func (s *Scanner) quotedName(p int) tri {
	n := wordLen(s.text[p+1:])
	q := p + 1 + n
	switch {
	case mayGoOn(s.text[p+1:], n):
		return s.maybeIf(true)
	case s.text[q] != s.text[p] || !s.reg.known(s.text[p+1:q]):
		return no
	}
	at := q + 1
	for _, due := range [...]byte{':', '{'} {
		if at = s.lookPast(at); at == len(s.text) {
			return s.maybeIf(true)
		}
		if s.text[at] != due {
			return no
		}
		at++
	}
	s.nameAt(p, s.text[p+1:q], at-1)
	return yes
}

// softMarker reads a marker that counts only with a call behind it.
func (s *Scanner) softMarker(p, end int, t *tag) bool {
	if t.close {
		if s.called {
			s.drop(p, end, dropMarker)
			s.called = false
			return true
		}
		return s.pass(p, end)
	}
	if s.namesTool(t) && (s.blankBefore(p) || s.marker.pending) {
		// Without an object behind it, it is an entry in a list of tools.
		switch q := s.lookPast(end); {
		case q == len(s.text) && !s.eof:
			return false
		case strings.HasPrefix(s.text[q:], "{"):
			return s.toolAttribute(p, end, t)
		}
	}
	if s.marker.on && s.marker.pending {
		s.pos = end
		return true
	}
	if t.bars && !t.half && t.key == "tool" && s.hasBefore(p) {
		return s.endReply(p, dropTurn) // Jamba's header of a result
	}
	s.openSoft(p, end, "")
	return true
}

// openSoft opens a soft marker; d is the dialect of the calls it announces, if they
// have one of their own.
func (s *Scanner) openSoft(p, end int, d Dialect) {
	s.prefix = -1
	s.beginPrefix(p)
	s.soft, s.softDialect, s.lead, s.called = true, d, true, false
	s.pos = end
}
