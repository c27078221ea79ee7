package parse

import "strings"

// leadWord reads a word that may begin a call, a label or an expression: yes says
// that something was read.
func (s *Scanner) leadWord(p int) tri {
	rest := s.text[p:]
	if s.atLine(p) || s.called {
		if l, n := lexLabel(rest); l != labelNone {
			s.onLabel(p, l, n)
			return yes
		}
		if !s.eof && mayBeLabel(rest) {
			return maybe
		}
	}
	if s.behindCall() && s.atLine(p) {
		switch why, is := lexTurn(rest, s.eof); is {
		case yes:
			s.endReply(p, why)
			return yes
		case maybe:
			return maybe
		}
	}
	switch q, is := s.languageWord(p); is {
	case yes:
		s.beginPrefix(p)
		s.pos = q
		return yes
	case maybe:
		return maybe
	}
	switch q, is := s.callLabel(p); is {
	case yes:
		s.pos = q // the label is text, as any other
		return yes
	case maybe:
		return maybe
	}
	if !s.mayBeWhole() {
		return no
	}
	return s.expressionAt(p)
}

// mayBeWhole reports whether a call without brackets may stand here: so far
// the reply, the fence or the marker holds nothing but calls, or it goes on with
// lists of them.
func (s *Scanner) mayBeWhole() bool {
	if s.fence.kind != fenceNone {
		return s.fence.kind == fenceCalls && !s.fence.text || s.marker.on
	}
	return s.onlyCalls || s.marker.on || s.called && s.wasList
}

// languageWord reads the word json alone on the first line of the reply; it
// returns the offset of the object behind it.
func (s *Scanner) languageWord(p int) (next int, is tri) {
	const word = "json"
	if !s.onlyCalls || s.called || s.fence.kind != fenceNone {
		return 0, no
	}
	if is := begins(s.text[p:], word, s.eof); is != yes {
		return 0, is
	}
	q := p + len(word)
	for q < len(s.text) && q < p+64 && isSpace(s.text[q]) {
		q++
	}
	if q == len(s.text) {
		return 0, s.maybeIf(true)
	}
	if strings.IndexByte(s.text[p:q], '\n') < 0 || s.text[q] != '{' && s.text[q] != '[' {
		return 0, no
	}
	return q, yes
}

// callLabel reads NexusRaven's label before the expressions that are the reply;
// it returns the offset of the first.
func (s *Scanner) callLabel(p int) (next int, is tri) {
	const label = "Call:"
	if !s.onlyCalls || s.fence.kind != fenceNone || s.marker.on {
		return 0, no
	}
	if is := begins(s.text[p:], label, s.eof); is != yes {
		return 0, is
	}
	q := s.lookPast(p + len(label))
	if _, known := callName(s.text[q:], &s.reg); known {
		return q, yes
	}
	return 0, s.maybeIf(mayGoOn(s.text[q:], wordLen(s.text[q:])))
}

// expressionAt reads NAME(…), NAME {…} or NAME k="v" at p.
func (s *Scanner) expressionAt(p int) tri {
	rest := s.text[p:]
	if c := rest[0]; c == '\'' || c == '"' || c == '(' {
		return s.quotedAt(p)
	}
	n := wordLen(rest)
	if n == 0 || n > 4*maxName {
		return no
	}
	if mayGoOn(rest, n) && !s.eof {
		return maybe
	}
	if n == len("print") && rest[:n] == "print" && strings.HasPrefix(rest[n:], "(") {
		return s.printAt(p)
	}
	q := p + n
	for q < len(s.text) && q < p+n+64 && isSpace(s.text[q]) {
		q++
	}
	word := rest[:n]
	if q < len(s.text) && q > p+n && isLetter(s.text[q]) && !s.mayAssign(q) || !s.reg.known(word) {
		switch {
		case n == len(rest) && (s.group.on || s.marker.on && s.bareExpr) && s.called && s.reg.mayBecome(word):
			s.cut("the rest of a call") // behind calls: another was begun
		case s.marker.on && s.called && s.bareExpr && wellFormed(word):
			return s.strangerCall(p, n)
		case s.goesOnList(p):
			is, behind := namedArgs(rest, n, s.eof), strings.TrimLeft(rest[n:], " ")
			if is == yes || strings.HasPrefix(behind, "=") {
				s.faultList(p)
			}
			if is == maybe || behind == "" && !s.eof {
				return maybe
			}
		}
		return no
	}
	if q == len(s.text) {
		return s.maybeIf(true)
	}
	switch c := s.text[q]; {
	case c == '(':
		is := opensArgs(rest, n, s.eof)
		if is == yes {
			s.beginExpression(p, n)
		}
		return is
	case c == '{':
		s.nameAt(p, word, q)
		return yes
	case c == '<' || c == '[':
		return s.partAt(p, word, q)
	case q > p+n && isLetter(c):
		return s.assignAt(p, word, q)
	}
	return no
}

// strangerCall reads NAME(…) of no tool at p, in a marker and behind another call expression.
func (s *Scanner) strangerCall(p, n int) tri {
	is := namedArgs(s.text[p:], n, s.eof)
	if is == yes {
		s.beginExpression(p, n)
	}
	return is
}

// goesOnList reports whether a comma or a semicolon joins what stands at p to a list of
// call expressions.
func (s *Scanner) goesOnList(p int) bool {
	return s.called && s.wasList && s.wasExpr && strings.ContainsAny(s.text[s.callEnd:p], ",;")
}

// partAt reads a marker that stands at q, between the name at p and its
// arguments. GLM's needs no opening tag before the name.
func (s *Scanner) partAt(p int, word string, q int) tri {
	var t tag
	is := lexMarker(&t, s.text[q:], s.eof)
	switch {
	case is == maybe:
		return maybe
	case is == yes && t.kind == markPart:
		s.nameAt(p, word, q+t.n)
		return yes
	case is == yes && t.kind == markArgKey && !t.close && !s.marker.on:
		s.nameAt(p, word, q)
		s.named.dialect, s.named.ifWhole = DialectGLM, false
		return yes
	}
	return no
}

// beginExpression starts reading NAME( at p, whose name has n bytes. Spaces may stand
// behind it.
func (s *Scanner) beginExpression(p, n int) {
	c := s.candidate(p)
	c.expr = true
	s.read.beginCall(p, n, c.place.hard || s.fence.calls)
}

// printAt reads print(NAME(…)), which Gemma's tool_code likes.
func (s *Scanner) printAt(p int) tri {
	q := p + len("print(")
	n, known := callName(s.text[q:], &s.reg)
	if !known {
		return s.maybeIf(mayGoOn(s.text[q:], wordLen(s.text[q:])))
	}
	s.beginPrefix(p)
	s.beginExpression(q, n)
	return yes
}

// quotedAt reads a quoted call or a pair in parentheses at p.
func (s *Scanner) quotedAt(p int) tri {
	q := p + runeLen(s.text[p:])
	if q == len(s.text) {
		return s.maybeIf(true)
	}
	switch c := s.text[q]; {
	case s.text[p] == '(': // a pair of a quoted name and arguments
		if c != '\'' && c != '"' {
			return no
		}
	case s.text[p] == '"' && c == '{': // an object as the text of a string
		if is := begins(s.text[q:], `{\`, s.eof); is != yes {
			return is
		}
	case c == '[': // a list of call expressions
		if is, calls := s.opensList(q); is == maybe {
			return maybe
		} else if !calls {
			return no
		}
	default: // a call expression
		n := wordLen(s.text[q:])
		if mayGoOn(s.text[q:], n) && !s.eof {
			return maybe
		}
		if _, known := callName(s.text[q:], &s.reg); !known {
			if s.marker.on {
				return s.quotedName(p)
			}
			return no
		}
	}
	c := s.candidate(p)
	c.expr = true
	s.read.beginAny(p)
	return yes
}

// maxLine is the longest line in the command style, in bytes.
const maxLine = 4 << 10

// assignAt reads NAME k="v" k2=2 to the end of its line; the first key is at q.
func (s *Scanner) assignAt(p int, word string, q int) tri {
	n := wordLen(s.text[q:])
	if q+n+1 >= len(s.text) && !s.eof {
		return maybe
	}
	if q+n+1 >= len(s.text) || !s.mayAssign(q) || !strings.ContainsRune("\"'0123456789-[{TFtfn", rune(s.text[q+n+1])) {
		return no
	}
	i := strings.IndexByte(s.text[q:min(len(s.text), q+maxLine)], '\n')
	end := min(len(s.text), q+maxLine)
	switch {
	case i >= 0:
		end = q + i
	case len(s.text) >= q+maxLine:
		return no
	case !s.eof:
		return maybe
	}
	end = s.cutToken(q, end)
	args, okArgs := readAssignments(s.text[q:end])
	if !okArgs {
		return no
	}
	s.candidate(p).expr = true
	s.cand.end, s.pos, s.state = end, end, stText
	s.read.idle(p)
	s.cand.verdict = s.namedVerdict(word, args, Span{p, end}, DialectExpression)
	s.accept()
	return yes
}

// mayAssign reports whether = stands, or may come to stand, behind the word at q.
func (s *Scanner) mayAssign(q int) bool {
	rest := s.text[q:]
	n := wordLen(rest)
	return mayGoOn(rest, n) || rest[n] == '='
}
