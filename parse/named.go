package parse

import (
	"strings"
)

// named is a call whose name has been read and whose arguments are due.
type named struct {
	start   int
	name    string // as written
	at      int    // behind the name
	body    int    // of an Action: line, where the name is due
	dialect Dialect
	react   bool // an Action Input: is due
	input   bool // and has come
	fenced  bool // the name is the info string of a fence
	whole   bool // the form counts only as the whole reply or fence
	tag     bool // the name stands in a tag that a closing tag ends
	toolTag bool // the tag is the name
	id      bool // an id of the call is due
}

// leadWord reads a word that may begin a call, a label or an expression.
// wait says that more text is needed; ok that something was read.
func (s *Scanner) leadWord(p int) (ok, wait bool) {
	rest := s.text[p:]
	if s.atLine(p) {
		if w, n := lexLine(rest); w != wordNone {
			return s.lineWord(p, w, n), false
		}
		if !s.eof && mayBeLineWord(rest) {
			return false, true
		}
	}
	if q, wait := s.languageWord(p); q > 0 || wait {
		if wait {
			return false, true
		}
		s.open(p)
		s.pos = q
		return true, false
	}
	if !s.mayBeWhole() {
		return false, false
	}
	return s.expressionAt(p)
}

// mayBeWhole reports whether a call without brackets may stand here: so far
// the reply, the fence or the marker holds nothing but calls.
func (s *Scanner) mayBeWhole() bool {
	if s.fence.kind != fenceNone {
		return s.fence.kind == fenceCalls && !s.fence.text || s.marker.on
	}
	return s.only || s.marker.on
}

// languageWord reads the word json alone on the first line of the reply; it
// returns the offset of the object behind it.
func (s *Scanner) languageWord(p int) (next int, wait bool) {
	const word = "json"
	rest := s.text[p:]
	if !s.only || s.called || s.fence.kind != fenceNone {
		return 0, false
	}
	if !strings.HasPrefix(rest, word) {
		return 0, !s.eof && strings.HasPrefix(word, rest)
	}
	q := p + len(word)
	for q < len(s.text) && q < p+64 && isSpace(s.text[q]) {
		q++
	}
	if q == len(s.text) {
		return 0, !s.eof
	}
	if strings.IndexByte(s.text[p:q], '\n') < 0 || s.text[q] != '{' && s.text[q] != '[' {
		return 0, false
	}
	return q, false
}

// expressionAt reads NAME(…), NAME {…} or NAME k="v" at p.
func (s *Scanner) expressionAt(p int) (ok, wait bool) {
	rest := s.text[p:]
	if c := rest[0]; c == '\'' || c == '"' || c == '(' {
		return s.quotedAt(p)
	}
	n := wordLen(rest)
	if n == 0 || n > 4*maxName {
		return false, false
	}
	if goesOn(rest, n) && !s.eof {
		return false, true
	}
	if n == len("print") && rest[:n] == "print" && strings.HasPrefix(rest[n:], "(") {
		return s.printAt(p)
	}
	word := rest[:n]
	if !s.reg.known(word) {
		return false, false
	}
	q := p + n
	for q < len(s.text) && q < p+n+64 && isSpace(s.text[q]) {
		q++
	}
	if q == len(s.text) {
		return false, !s.eof
	}
	switch c := s.text[q]; {
	case c == '(' && q == p+n:
		s.beginExpression(p, n)
		return true, false
	case c == '{':
		s.nameAt(p, word, q)
		return true, false
	case c == '<' || c == '[':
		t, ok := s.partAt(q)
		if ok == maybe {
			return false, true
		}
		if ok == yes {
			s.nameAt(p, word, q+t.n)
			return true, false
		}
	case q > p+n && isLetter(c):
		return s.assignAt(p, word, q)
	}
	return false, false
}

// partAt reads a marker that stands between a name and its arguments.
func (s *Scanner) partAt(q int) (tag, tri) {
	var t tag
	var ok tri
	if s.text[q] == '<' {
		t, ok = lexTag(s.text[q:], s.eof)
	} else {
		t, ok = lexBracket(s.text[q:], s.eof)
	}
	if ok == yes && t.kind != markPart {
		ok = no
	}
	return t, ok
}

// nameAt takes the name at p; its arguments are due at q.
func (s *Scanner) nameAt(p int, word string, q int) {
	s.open(p)
	s.named = named{start: p, name: word, at: q, dialect: DialectExpression, whole: !s.marker.on}
	if strings.Contains(s.text[p:q], "tool_call_argument_begin") {
		s.named.dialect, s.named.whole = DialectKimi, false
	}
	if s.marker.on {
		s.named.dialect = s.markerDialect()
		if s.marker.pending {
			s.named.start = s.marker.start
		}
	}
	s.state, s.pos = stNamed, q
}

func (s *Scanner) markerDialect() Dialect {
	if s.marker.dialect != "" {
		return s.marker.dialect
	}
	return DialectHermes
}

// beginExpression starts reading NAME( at p, whose name has n bytes.
func (s *Scanner) beginExpression(p, n int) {
	c := s.candidate(p)
	c.expr = true
	s.read.text = s.text
	s.read.beginCall(p, n, c.place.hard || s.fence.calls)
}

// printAt reads print(NAME(…)), which Gemma's tool_code likes.
func (s *Scanner) printAt(p int) (ok, wait bool) {
	q := p + len("print(")
	n, known := callName(s.text[q:], &s.reg)
	if !known {
		return false, !s.eof && goesOn(s.text[q:], wordLen(s.text[q:]))
	}
	s.open(p)
	s.beginExpression(q, n)
	return true, false
}

// quotedAt reads a quoted call or a pair in parentheses at p.
func (s *Scanner) quotedAt(p int) (ok, wait bool) {
	q := p + 1
	if q == len(s.text) {
		return false, !s.eof
	}
	if s.text[p] == '(' {
		if c := s.text[q]; c != '\'' && c != '"' {
			return false, false
		}
	} else if s.text[p] == '"' && s.text[q] == '{' {
		if q+1 == len(s.text) && !s.eof {
			return false, true
		}
		if !strings.HasPrefix(s.text[q:], `{\`) {
			return false, false
		}
	} else {
		n := wordLen(s.text[q:])
		if goesOn(s.text[q:], n) && !s.eof {
			return false, true
		}
		if _, known := callName(s.text[q:], &s.reg); !known {
			return false, false
		}
	}
	c := s.candidate(p)
	c.expr = true
	s.read.text = s.text
	if s.text[p] == '(' {
		s.read.begin(p)
	} else {
		s.read.beginValue(p)
	}
	return true, false
}

// maxLine is the longest line in the command style, in bytes.
const maxLine = 4 << 10

// assignAt reads NAME k="v" k2=2 to the end of its line; the first key is at q.
func (s *Scanner) assignAt(p int, word string, q int) (ok, wait bool) {
	n := wordLen(s.text[q:])
	if q+n+1 >= len(s.text) && !s.eof {
		return false, true
	}
	if q+n+1 >= len(s.text) || s.text[q+n] != '=' || !strings.ContainsRune("\"'0123456789-[{TFtfn", rune(s.text[q+n+1])) {
		return false, false
	}
	i := strings.IndexByte(s.text[q:min(len(s.text), q+maxLine)], '\n')
	end := min(len(s.text), q+maxLine)
	switch {
	case i >= 0:
		end = q + i
	case len(s.text) >= q+maxLine:
		return false, false
	case !s.eof:
		return false, true
	}
	args, okArgs := readAssignments(s.text[q:end])
	if !okArgs {
		return false, false
	}
	s.candidate(p).expr = true
	s.cand.end, s.pos, s.state = end, end, stText
	s.read.idle(p)
	s.cand.v = s.namedVerdict(word, args, Span{p, end}, DialectExpression)
	s.accept()
	return true, false
}

// readAssignments reads k="v" k2=2, separated by white space or commas.
func readAssignments(text string) (string, bool) {
	r := newReader("f(" + text + ")")
	r.spaces = true
	r.beginCall(0, 1, false)
	if r.run() != readClosed || r.failed() || r.pos != len(r.text) {
		return "", false
	}
	v0 := len(`{"name":"f","arguments":`)
	return string(r.out[v0 : len(r.out)-1]), true
}

// afterMarker reads what stands directly behind a hard marker.
func (s *Scanner) afterMarker(p int) bool {
	rest := s.text[p:]
	n := wordLen(rest)
	if n == 0 {
		return s.plain(p, p)
	}
	if goesOn(rest, n) && !s.eof {
		return false
	}
	word := strings.TrimRight(rest[:n], ":/-")
	if strings.HasPrefix(rest[n:], "(") && wellFormed(strings.ReplaceAll(word, `\_`, "_")) {
		s.beginExpression(p, n)
		s.read.toolSeen = s.reg.known(word)
		return true
	}
	q := s.look(p + n)
	if q == len(s.text) {
		if !s.eof {
			return false
		}
		if !s.reg.mayBecome(word) {
			return s.plain(p, p)
		}
		s.nameAt(p, word, q)
		return true
	}
	switch c := s.text[q]; c {
	case '{':
		s.nameAt(p, word, q)
		return true
	case '<', '[':
		return s.afterMarkerTag(p, word, q)
	case '`':
		if strings.Contains(s.text[p:q], "\n") {
			s.nameAt(p, word, q)
			return true
		}
	}
	return s.plain(p, p)
}

// afterMarkerTag reads a name behind a hard marker that a tag at q follows.
func (s *Scanner) afterMarkerTag(p int, word string, q int) bool {
	t, ok := tag{}, no
	if s.text[q] == '<' {
		t, ok = lexTag(s.text[q:], s.eof)
	} else {
		t, ok = lexBracket(s.text[q:], s.eof)
	}
	switch {
	case ok == maybe:
		return false
	case ok == no:
	case t.kind == markPart && word == "function":
		s.pos = q + t.n // the kind of call; its name follows
		return true
	case t.kind == markPart:
		s.nameAt(p, word, q+t.n)
		s.named.id = t.name == "[CALL_ID]"
		return true
	case t.kind == markArgKey && !t.close && s.reg.known(word):
		s.nameAt(p, word, q)
		s.named.dialect = DialectGLM
		return true
	case (t.close || t.kind == markEnd || t.kind == markToken) && s.reg.known(word):
		s.nameAt(p, word, q)
		return true
	}
	return s.plain(p, p)
}

// functionTag reads <function=NAME> and <invoke name="NAME">, or a closing one.
func (s *Scanner) functionTag(p, end int, t tag) bool {
	if t.close {
		if s.called {
			if n := len(s.calls); n > 0 && s.paramsEnded(s.calls[n-1].call.Dialect) {
				return s.orphan(p, end)
			}
			s.drop(p, end, dropMarker)
			s.called, s.pos = true, end
			return true
		}
		return s.plain(p, end)
	}
	if t.attr == "" {
		return s.plain(p, end)
	}
	s.open(p)
	d := DialectFunctionTag
	if strings.HasPrefix(strings.ToLower(t.name), "invoke") || strings.Contains(strings.ToLower(t.name), ":invoke") {
		d = DialectInvoke
	}
	s.named = named{start: p, name: t.attr, at: end, dialect: d, tag: true}
	s.state, s.pos = stNamed, end
	return true
}

func (s *Scanner) paramsEnded(d Dialect) bool { return d == DialectXML || d == DialectInvoke }

// toolTag reads <NAME> of a registered tool: parameters must follow.
func (s *Scanner) toolTag(p, end int, t tag) bool {
	q := s.look(end)
	if q == len(s.text) && !s.eof {
		return false
	}
	if q == len(s.text) || s.text[q] != '<' && s.text[q] != '{' {
		return s.plain(p, end)
	}
	if s.text[q] == '<' {
		u, ok := lexTag(s.text[q:], s.eof)
		if ok == maybe {
			return false
		}
		tool, _ := s.reg.lookup(t.name)
		f := s.reg.of(tool)
		if ok == no || u.close && u.name != t.name || !u.close && f.params != nil && !f.has(u.name) {
			return s.plain(p, end)
		}
	}
	s.open(p)
	s.named = named{start: p, name: t.name, at: end, dialect: DialectToolTag, tag: true, toolTag: true}
	s.state, s.pos = stNamed, end
	return true
}

// partTag reads a marker that belongs between a name and arguments, where no
// name has been read: a recipient may stand before it on its line.
func (s *Scanner) partTag(p, end int, t tag) bool {
	line := max(s.lineStart(p), s.done)
	if i := strings.LastIndex(s.text[line:p], "to="); i >= 0 {
		if name, ok := recipient(s.text[line+i:p], &s.reg); ok {
			start := line + i
			if rest := strings.TrimSpace(s.text[line:start]); rest == "commentary" || rest == "analysis" || rest == "assistant" {
				start = line
			}
			s.open(start)
			s.named = named{start: start, name: name, at: end, dialect: DialectHarmony}
			s.state, s.pos = stNamed, end
			return true
		}
	}
	s.drop(p, end, dropToken)
	s.pos = end
	return true
}

// recipient reads to=functions.NAME.
func recipient(s string, reg *registry) (string, bool) {
	s, ok := strings.CutPrefix(s, "to=")
	if !ok {
		return "", false
	}
	n := wordLen(s)
	name := s[:n]
	if n == 0 || !strings.HasPrefix(name, "functions.") && !reg.known(name) {
		return "", false
	}
	return name, true
}

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
		return s.namedTag(p)
	case '`':
		return s.namedFence(p)
	}
	if s.named.react {
		s.state = stInput
		s.named.body = p
		return true
	}
	if strings.HasPrefix(rest, "json") && s.named.dialect == DialectHarmony {
		s.pos = p + len("json")
		return true
	}
	if s.named.id { // Mistral's call id
		n := wordLen("_" + rest)
		if p+n-1 == len(s.text) && !s.eof {
			return false
		}
		if n > 1 {
			s.named.id, s.pos = false, p+n-1
			return true
		}
	}
	return s.noArgs()
}

// beginArgs starts reading the arguments at p.
func (s *Scanner) beginArgs(p int) bool {
	if s.text[p] == '[' {
		if t, ok := lexBracket(s.text[p:], s.eof); ok == maybe {
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
	s.read.text = s.text
	if s.text[p] == '"' {
		s.read.beginValue(p)
	} else {
		s.read.begin(p)
	}
	s.read.sure = true
	s.read.bare = s.named.dialect == DialectGemma || strings.HasPrefix(s.named.name, "call:")
	return true
}

// namedTag reads a tag where arguments are due.
func (s *Scanner) namedTag(p int) bool {
	t, ok := lexTag(s.text[p:], s.eof)
	switch {
	case ok == maybe:
		return false
	case ok == no:
		return s.noArgs()
	case t.kind == markPart || t.kind == markMessage:
		s.pos = p + t.n
		return true
	case !t.close && (t.kind == markParam || t.kind == markArgKey || s.named.toolTag && !t.bars):
		return s.beginParams(p)
	case t.close || t.kind == markEnd || t.kind == markToken:
		end := p
		if !s.named.tag || t.kind == markFunction || t.name == s.named.name {
			end = p + t.n
		}
		if s.marker.on && !s.named.tag {
			s.marker = marker{dialect: s.marker.dialect}
		}
		return s.finishArgs("", end)
	}
	return s.noArgs()
}

// namedFence reads a fence around arguments.
func (s *Scanner) namedFence(p int) bool {
	n := runLen(s.text, p)
	q := p + n
	for q < len(s.text) && q < p+n+32 && (isLetter(s.text[q]) || isSpace(s.text[q])) {
		q++
	}
	if q == len(s.text) && !s.eof {
		return false
	}
	if n < 3 || q == len(s.text) || s.text[q] != '{' || !callInfos[strings.ToLower(strings.TrimSpace(s.text[p+n:q]))] {
		return s.noArgs()
	}
	s.fence = fence{kind: fenceCalls, char: '`', n: n, start: p, body: q, line: s.lineStart(p), used: true}
	s.pos = q
	return true
}

// noArgs ends a named call whose arguments cannot be found at pos.
func (s *Scanner) noArgs() bool {
	s.state = stText
	if s.named.fenced || s.named.whole {
		p := s.named.start
		s.named = named{}
		if s.marker.on && s.marker.pending {
			s.usedMarker(p)
		}
		s.lead = true
		s.called = false
		return s.plain(p, s.pos)
	}
	if s.named.toolTag {
		s.named = named{}
		return s.plain(s.pos, s.pos)
	}
	if s.mentioned() {
		s.named = named{}
		return s.plain(s.pos, s.pos)
	}
	s.faults = append(s.faults, fault{Problem: Problem{Reason: ReasonMalformed, Offset: s.pos,
		Expected: "the arguments of " + bounded(s.named.name), Found: excerpt(s.text, s.pos)}, start: s.named.start})
	s.marker.pending = false
	s.named = named{}
	return s.plain(s.pos, s.pos)
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
	if r.failed() {
		s.cand.start = s.named.start
		s.acceptFault(r.problem, s.named.whole)
		s.only = false
		s.lead, s.called = true, false
		return true
	}
	args := string(r.out)
	if r.single {
		args = args[1 : len(args)-1]
	}
	return s.finishArgs(args, c.end)
}

// finishArgs takes args, canonical JSON or "" for none, as the arguments of the
// named call, which ends at end.
func (s *Scanner) finishArgs(args string, end int) bool {
	if args == "" {
		s.candidate(s.named.start)
		s.read.idle(s.named.start)
	}
	return s.finishedArgs(args, end)
}

// finishedArgs is finishArgs once the candidate has been set up.
func (s *Scanner) finishedArgs(args string, end int) bool {
	n := s.named
	if n.fenced && s.wholeCall(args) {
		return true
	}
	s.named = named{}
	s.state = stText
	hard := !n.whole && !n.fenced
	c := &s.cand
	c.start, c.end, c.named = n.start, end, false
	c.place.hard = hard
	s.pos = end
	s.state = stText
	if !hard {
		c.expr = true
	}
	if n.fenced {
		c.place.fence = true
	}
	c.v = s.namedVerdict(n.name, args, Span{n.start, end}, n.dialect)
	if s.fence.used && s.fence.kind == fenceCalls && !n.whole {
		c.expr = false
	}
	s.accept()
	s.glued = hard
	s.between = n.dialect == DialectXML || n.dialect == DialectInvoke
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
	if len(j.shape(0).names) == 0 {
		return false
	}
	v := j.object(0, 0)
	if v.kind != isCalls {
		return false
	}
	s.named = named{}
	c.named, c.v = false, v
	s.state = stText
	s.describe(c.v.calls)
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
	if v.kind == isFault {
		v.fault.Found = excerpt(s.text, v.fault.Offset)
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
	names := spellings(name)
	name = names[1]
	if !wellFormed(name) || args == "" || args[0] != '{' {
		return faulty(ReasonMalformed, span.Start, "the name of a tool and an object of arguments")
	}
	return verdict{kind: isCalls, calls: []found{{
		call:  Call{Name: name, Args: []byte(args), Span: span, Dialect: d, Marked: true},
		byEnd: true,
	}}}
}

// inAction reads the rest of an Action: line: the name of a tool, or nothing.
func (s *Scanner) inAction() bool {
	start := s.named.body
	i := strings.IndexByte(s.text[s.pos:], '\n')
	if i < 0 && !s.eof {
		if q := s.skipSpace(start); q < len(s.text) && !isLetter(s.text[q]) || len(s.text)-start > 4*maxName {
			return s.noAction(start)
		}
		return false
	}
	end := len(s.text)
	if i >= 0 {
		end = s.pos + i
	}
	raw := s.text[start:end]
	name := strings.Trim(raw, " \t\r*`'\"[]")
	at := start + strings.Index(raw, name)
	s.state = stText
	if n, known := callName(name, &s.reg); known {
		s.open(s.named.start)
		s.marker = marker{on: true, pending: true, start: s.named.start, end: start, dialect: DialectReAct}
		s.lead, s.pos = true, at
		s.beginExpression(at, n)
		s.actions = at
		return true
	}
	if name == "" || !s.reg.known(name) {
		return s.noAction(start)
	}
	s.open(s.named.start)
	s.named.name, s.named.at = name, end
	s.actions = at
	s.state, s.pos = stNamed, end
	return true
}

// noAction reads an Action: label without a registered name: a soft marker.
func (s *Scanner) noAction(end int) bool {
	p := s.named.start
	s.named = named{}
	s.state = stText
	s.softOpen(p, end)
	s.label = DialectCommandR
	return true
}

// dueInput reads the label of an Action's input.
func (s *Scanner) dueInput(p int) bool {
	rest := strings.TrimLeft(s.text[p:], "*")
	bold := len(s.text) - p - len(rest)
	w, n := lexLine(rest)
	n += bold
	for bold > 0 && p+n < len(s.text) && s.text[p+n] == '*' {
		n++
	}
	switch {
	case (rest == "" || bold > 0 && p+n == len(s.text)) && !s.eof:
		return false
	case w == wordInput || w == wordArgs:
		s.named.input = true
		s.pos = p + n
		return true
	case w == wordObservation:
		return s.finishArgs("", p)
	case !s.eof && mayBeLineWord(rest):
		return false
	case strings.HasPrefix(rest, "{") && s.named.dialect == DialectReAct:
		s.named.input = true
		return true
	}
	return s.noArgs()
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
		rest := strings.TrimLeft(s.text[next:], " \t")
		if w, _ := lexLine(rest); w != wordNone {
			return s.plainInput(s.pos+i, false)
		}
		if !s.eof && (rest == "" || mayBeLineWord(rest)) && len(s.text)-next < maxLook {
			s.pos += i
			return false
		}
		s.pos = next
	}
}

// plainInput takes the text up to end as the one string argument.
func (s *Scanner) plainInput(end int, byEnd bool) bool {
	value := strings.TrimSpace(s.text[s.named.body:end])
	s.candidate(s.named.start)
	s.cand.odd = byEnd
	s.read.idle(s.named.start)
	args := string(appendQuoted(nil, strings.Trim(value, "`")))
	switch value {
	case "None", "none", "N/A", "null":
		args = "null"
	}
	n := s.named
	s.named = named{}
	s.state = stText
	s.cand.end, s.pos = end, end
	s.cand.place.hard = true
	s.cand.v = s.namedVerdict(n.name, args, Span{n.start, end}, n.dialect)
	return s.accept()
}

// channel reads harmony's <|channel|>, or Gemma's <|channel>.
func (s *Scanner) channel(p, end int, t tag) bool {
	if t.close { // Gemma's <channel|>
		return s.thinkTag(p, end, t)
	}
	if t.half {
		const word = "thought"
		rest := s.text[end:]
		if !s.eof && len(rest) < len(word) && strings.HasPrefix(word, rest) {
			return false
		}
		if strings.HasPrefix(rest, word) {
			return s.openThought(p, end+len(word), thinkGemma, "channel")
		}
		return s.plain(p, end)
	}
	s.state, s.pos = stHeader, p
	return true
}

// maxHeader is the longest header of a harmony message, in bytes.
const maxHeader = 512

// inHeader reads the header of a harmony message: <|start|>WHO, <|channel|>
// and its name, a recipient, up to <|message|>.
func (s *Scanner) inHeader() bool {
	p := s.pos
	rest := s.text[p:min(len(s.text), p+maxHeader)]
	const end = "<|message|>"
	i := strings.Index(rest, end)
	if i < 0 {
		if len(rest) < maxHeader && !s.eof {
			return false
		}
		return s.headerCut(p)
	}
	h := rest[:i]
	body := p + i + len(end)
	s.state = stText
	who := strings.TrimPrefix(h, "<|start|>")
	if who != h {
		w := strings.ToLower(who[:wordLen(who)])
		if w == "user" || w == "system" || w == "developer" || w == "tool" || strings.HasPrefix(w, "functions.") {
			return s.endReply(p, overTurn)
		}
	}
	name := ""
	if i := strings.Index(h, "to="); i >= 0 {
		name, _ = recipient(h[i:], &s.reg)
	}
	_, ch, _ := strings.Cut(h, "<|channel|>")
	ch = strings.TrimSpace(ch)
	switch {
	case name != "":
		s.open(p)
		s.named = named{start: p, name: name, at: body, dialect: DialectHarmony}
		s.state, s.pos = stNamed, body
		return true
	case strings.HasPrefix(ch, "analysis"):
		return s.openThought(p, body, thinkHarmony, "")
	case strings.HasPrefix(ch, "final"):
		return s.harmonyFinal(p, body)
	}
	s.drop(p, body, dropToken)
	s.pos = body
	return true
}

func (s *Scanner) harmonyFinal(p, body int) bool {
	s.drop(p, body, dropLabel)
	s.final, s.pos = body, body
	return true
}

// headerCut acts on a header that never ends.
func (s *Scanner) headerCut(p int) bool {
	s.state = stText
	t, _ := lexTag(s.text[p:], true)
	if i := strings.Index(s.text[p:min(len(s.text), p+maxHeader)], "to="); i >= 0 && s.eof {
		if name, ok := recipient(s.text[p+i:], &s.reg); ok {
			s.named = named{start: p, name: name, at: len(s.text), dialect: DialectHarmony}
			s.open(p)
			s.state, s.pos = stNamed, len(s.text)
			return true
		}
	}
	end := p + t.n
	for end < len(s.text) && isLetter(s.text[end]) {
		end++
	}
	s.drop(p, end, dropToken)
	s.stands, s.pos = true, end
	return true
}
