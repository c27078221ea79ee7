package parse

import "strings"

// angle reads a tag or a control token.
func (s *Scanner) angle(p int) bool {
	var t tag
	ok := lexTag(&t, s.text[p:], s.eof)
	switch ok {
	case maybe:
		return s.awaitTag(p)
	case no:
		return s.bareFunction(p)
	}
	return s.tagged(p, &t)
}

// bareFunction reads <function=NAME{…}, which Llama writes for
// <function=NAME>{…}.
func (s *Scanner) bareFunction(p int) bool {
	const open = "<function="
	rest, ok := strings.CutPrefix(s.text[p:], open)
	n := wordLen(rest)
	if !ok || !strings.HasPrefix(rest[n:], "{") || !s.reg.known(rest[:n]) {
		return s.pass(p, p+1)
	}
	at := p + len(open) + n
	return s.beginNamed(named{start: p, name: rest[:n], at: at, dialect: DialectFunctionTag, tag: true})
}

// triangle reads Kimi's thinking markers; p is their second byte.
func (s *Scanner) triangle(p int) bool {
	if p <= s.done || s.text[p-1] != 0xE2 {
		return s.pass(p, p+1)
	}
	var t tag
	ok := lexTriangle(&t, s.text[p-1:], s.eof)
	switch ok {
	case maybe:
		return false
	case no:
		return s.pass(p, p+1)
	}
	return s.tagged(p-1, &t)
}

// tagged acts on the marker t at p.
func (s *Scanner) tagged(p int, t *tag) bool {
	end := p + t.n
	if t.othersTurn() && s.showsTurn() {
		return s.blockFence(p)
	}
	switch t.kind {
	case markHard:
		if t.close {
			return s.closeMarker(p, end)
		}
		return s.openMarker(p, end, t)
	case markEnd:
		return s.closeMarker(p, end)
	case markSoft:
		return s.softMarker(p, end, t)
	case markFunction:
		return s.functionTag(p, end, t)
	case markThink:
		return s.thinkTag(p, end, t)
	case markToken:
		return s.tokenTag(p, end, t)
	case markRole:
		return s.role(p, end, t)
	case markUser:
		if s.lead || s.atLine(p) || t.bars {
			return s.endReply(p, dropTurn)
		}
		return s.pass(p, end)
	case markResult:
		return s.resultTag(p, end, t)
	case markChannel:
		return s.channel(p, end, t)
	case markMessage, markPart:
		return s.partTag(p, end)
	case markParam, markArgKey, markArgValue:
		return s.argTag(p, end, t)
	}
	return s.otherTag(p, end, t)
}

// tokenTag passes over a control token that says nothing.
func (s *Scanner) tokenTag(p, end int, t *tag) bool {
	if t.name == "s" && s.strikes(t.close) {
		return s.pass(p, end)
	}
	if t.key == "bot_end" {
		s.settleGroup() // the calls are complete; a comment follows
	}
	if s.called && !s.marker.pending {
		s.marker = marker{}
	}
	return s.drop(p, end, dropToken)
}

// resultTag acts on a tag of a result, which a model can only invent.
func (s *Scanner) resultTag(p, end int, t *tag) bool {
	switch {
	case !t.close && (s.lead || s.atLine(p)):
		return s.endReply(p, dropResult)
	case t.close && s.called:
		return s.drop(p, end, dropToken)
	}
	return s.pass(p, end)
}

// argTag acts on a tag of an argument where none is due.
func (s *Scanner) argTag(p, end int, t *tag) bool {
	if t.close && (s.called || s.argsInTags) {
		return s.orphan(p, end)
	}
	if s.lead && s.called {
		s.fault(ReasonAmbiguous, p, "one set of arguments")
	}
	return s.pass(p, end)
}

// otherTag acts on a tag that stands in no table: it may have the name of a tool, or be a
// token of a template that is not known.
func (s *Scanner) otherTag(p, end int, t *tag) bool {
	switch {
	case !t.bars && !t.close && s.reg.known(t.name):
		return s.toolTag(p, end, t)
	case t.bars && !t.half && s.lead && s.called:
		return s.drop(p, end, dropToken)
	}
	return s.pass(p, end)
}

// namesTool reports whether t has the name of a tool as its attribute, as the results
// have that the model is shown.
func (s *Scanner) namesTool(t *tag) bool {
	return !t.close && !t.bars && t.attr != "" && t.more == "" && s.reg.known(t.attr)
}

// toolAttribute reads <tool_call name="NAME">; the arguments follow.
func (s *Scanner) toolAttribute(p, end int, t *tag) bool {
	return s.beginNamed(named{start: p, name: t.attr, at: end, dialect: DialectFunctionTag, tag: true, closer: t.name})
}

// showsTurn reports whether a header or a result stands first in a fence, without a call
// before: it is an example of a template.
func (s *Scanner) showsTurn() bool {
	f := &s.fence
	return f.kind == fenceCalls && !f.used && !f.text && s.lead && len(s.calls) == 0 && !s.group.on && !s.marker.on
}

// strikes reports whether <s> or </s> is the tag of HTML for text that is struck out, and
// not the token that begins or ends a text.
func (s *Scanner) strikes(closes bool) bool {
	is := s.struck
	if !closes {
		is = !s.onlyCalls
	}
	s.struck = is && !closes
	return is
}

// arrows reads Functionary's >>>NAME.
func (s *Scanner) arrows(p int) bool {
	n := runLen(s.text[:min(len(s.text), p+4)], p)
	if p+n == len(s.text) && !s.eof && n < 4 {
		return false
	}
	if n != 3 {
		return s.pass(p, p+n)
	}
	name := wordLen(s.text[p+3:])
	q := p + 3 + name
	if mayGoOn(s.text[p+3:], name) && !s.eof {
		return false
	}
	known := name > 0 && s.reg.known(s.text[p+3:q])
	if !known && (name == 0 || !s.called || s.text[p+3:q] == "all") { // what follows all is the answer
		return s.pass(p, p+n)
	}
	if q == len(s.text) && known {
		s.cut("the arguments of a call")
		return s.pass(p, q)
	}
	q = s.lookPast(q)
	if q == len(s.text) && !s.eof {
		return false
	}
	if q < len(s.text) && s.text[q] != '{' {
		return s.pass(p, p+n)
	}
	if !known {
		if q < len(s.text) {
			s.fault(ReasonMalformed, p, "the name of a tool")
		}
		return s.pass(p, p+n)
	}
	return s.beginNamed(named{start: p, name: s.text[p+3 : p+3+name], dialect: DialectFunctionary, at: q})
}

// functionTag reads <function=NAME> and <invoke name="NAME">, or a closing one.
func (s *Scanner) functionTag(p, end int, t *tag) bool {
	if t.close {
		if s.called {
			if n := len(s.calls); n > 0 && s.shutByTag && betweenTags(s.calls[n-1].call.Dialect) {
				return s.orphan(p, end)
			}
			s.shutByTag, s.argsMayGoOn = true, false
			return s.drop(p, end, dropMarker)
		}
		return s.pass(p, end)
	}
	if t.attr == "" {
		return s.toolName(p, end, t)
	}
	if t.more != "" && s.reg.known(t.attr) {
		s.fault(ReasonBadArgs, p, "arguments behind the tag")
		return s.pass(p, end)
	}
	return s.beginNamed(named{start: p, name: t.attr, at: end, dialect: t.dialect, tag: true})
}

// toolTag reads <NAME> of a registered tool: parameters must follow.
func (s *Scanner) toolTag(p, end int, t *tag) bool {
	q := s.lookPast(end)
	if q == len(s.text) && !s.eof {
		return false
	}
	tool, _ := s.reg.lookup(t.name)
	f := s.reg.of(tool)
	if t.more != "" {
		if f.has(t.more) && (s.lead || s.blankBefore(p)) {
			s.fault(ReasonBadArgs, p, "arguments behind the tag")
		}
		return s.pass(p, end)
	}
	if q == len(s.text) || s.text[q] != '<' && s.text[q] != '{' {
		return s.pass(p, end)
	}
	if s.text[q] == '<' {
		var u tag
		ok := lexTag(&u, s.text[q:], s.eof)
		if ok == maybe {
			return false
		}
		if ok == no || u.bars || u.more != "" || u.close && u.name != t.name || !u.close && f.params != nil && !f.has(u.name) {
			return s.pass(p, end)
		}
	}
	return s.beginNamed(named{start: p, name: t.name, at: end, dialect: DialectToolTag, tag: true, toolTag: true, closer: t.name})
}

// toolName reads <invoke><tool_name>NAME</tool_name><parameters>, as Claude once
// wrote calls: a child per parameter follows.
func (s *Scanner) toolName(p, end int, t *tag) bool {
	if t.name != "invoke" {
		return s.pass(p, end)
	}
	at, name := end, ""
	for _, part := range [...]string{"<tool_name>", "", "</tool_name>", "<parameters>"} {
		at = s.lookPast(at)
		n := len(part)
		if rest := s.text[at:]; part == "" {
			n = wordLen(rest)
			name = rest[:n]
			if mayGoOn(rest, n) && !s.eof {
				return false
			}
		} else if !strings.HasPrefix(rest, part) {
			return (s.eof || !strings.HasPrefix(part, rest)) && s.pass(p, end)
		}
		at += n
	}
	if !s.reg.known(name) {
		return s.pass(p, end)
	}
	return s.beginNamed(named{start: p, name: name, at: at, dialect: DialectToolTag, tag: true, toolTag: true, closer: "parameters"})
}
