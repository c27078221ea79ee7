package parse

import (
	"strings"
	"unicode/utf8"
)

// state says what the scanner is reading.
type state uint8

const (
	stText      state = iota // prose, and what may begin in it
	stData                   // an object in prose that may be plain data
	stCandidate              // an object, a list or a call expression
	stLineRest               // a call that counts only if its line ends
	stSpan                   // what closes a code span after a call in it
	stFence                  // the line that opens a fence
	stBlocked                // a fence that holds no calls
	stThink                  // a thought
	stNamed                  // the arguments of a call whose name has been read
	stParams                 // arguments between tags
	stHeader                 // harmony's header of a message
	stAction                 // the rest of an Action: line
	stInput                  // an Action Input that is plain text
	stPython                 // what follows a list of calls in a python fence
	stRest                   // text to the end
	stEscaped                // an object whose quotes are escaped
	stComment                // a comment beside call expressions
	stOver                   // nothing counts any more
)

// lex is what the scanner knows of the text before pos.
type lex struct {
	pos    int // the next byte to read
	state  state
	over   dropReason // in stOver: why nothing counts any more
	overAt int        // and from where on

	// The lead is the place behind a construct, or at the start of the reply, where
	// only white space has come so far: a call may begin there without a bracket.
	lead       bool
	onlyCalls  bool // the reply holds nothing but calls so far
	impliedTag bool // a role token or a closing tag stands directly before, in place of an opening tag
	prefix     int  // what stands from here on belongs to a call, if one follows; or -1

	// The last call.
	called      bool // nothing but white space and separators has come since
	callEnd     int  // where it ends, or the fault or answer in its place
	wasList     bool // it stood in a list
	bareExpr    bool // it was a call expression without a list
	argsMayGoOn bool // its name stood apart from its arguments: more of them may come
	plainString bool // its argument is a plain string, which may go on
	shutByTag   bool // a closing tag of its own ended it
	taggedArgs  bool // the last whose name stood apart had its arguments between tags
	equal       int  // how many equal calls stand in a row

	// Lines, by the offset of their first byte.
	here     lines  // the line of pos
	ahead    lines  // the line at the end of the text
	oddLine  int    // the last on which a backtick stands alone, or -1
	toldLine int    // the last on which a sentence speaks of a call, or -1
	toldEnd  int    // where the call ends that it speaks of
	noCloser [3]int // the last on which no run of 1, of 2, of 3 or more backticks closes a span, or -1

	// How far the text was searched in vain.
	blockSeen   int // for the end of a line in a blocked fence
	spanSeen    int // for the end of a code span
	repeatCheck int // the offset at which repetition is looked for next
	repeatFloor int // it is looked for behind this offset only

	// What is open.
	fenceRun run // in stFence: the run of backticks or tildes that the line began with
	tick     run // the last run of backticks that a candidate may stand behind
	fence    fence
	nest     []int // in stBlocked: the lengths of the runs of the open fences, the outermost first
	marker   marker
	soft     bool    // a soft marker
	label    Dialect // of the calls that it announces, if they have one of their own
	group    group
	cand     candidate
	escaped  escaped
	named    named
	param    params
	think    thought
	mid      middle

	// What was found so far.
	faults       []fault
	answers      []answer
	finalAt      int  // where the final answer begins, or -1
	beforeAnswer int  // how many pieces stand before it
	reactThought bool // a ReAct thought
	dialogue     bool // a turn of the user behind an answer or a call, as its words
	openHeader   bool // the text ends in what may be a header of harmony: more of it may come
	unreadData   bool // the text ends in data that was not looked into for tokens
}

func (l *lex) start(o Options) {
	*l = lex{
		lead: true, onlyCalls: true, prefix: -1, oddLine: -1, toldLine: -1, finalAt: -1,
		noCloser: [3]int{-1, -1, -1}, repeatCheck: repeatWindow,
		faults: l.faults[:0], answers: l.answers[:0], group: group{faults: l.group.faults[:0]}, nest: l.nest[:0],
	}
	if o.InThought {
		l.state = stThink
		l.think = thought{kind: thinkTemplate, seen: true}
	}
}

// run reads as far as the text goes.
func (s *Scanner) run() {
	for s.step() && (s.pos < len(s.text) || s.eof) {
	}
}

// step reads one construct and reports whether it got on.
func (s *Scanner) step() bool {
	switch s.state {
	case stText:
		return s.inText()
	case stData:
		return s.inData()
	case stCandidate:
		return s.inCandidate()
	case stLineRest:
		return s.inLineRest()
	case stSpan:
		return s.inSpan()
	case stFence:
		return s.inFence()
	case stBlocked:
		return s.inBlocked()
	case stThink:
		return s.inThought()
	case stNamed:
		return s.inNamed()
	case stParams:
		return s.inParams()
	case stHeader:
		return s.inHeader()
	case stAction:
		return s.inAction()
	case stInput:
		return s.inInput()
	case stPython:
		return s.endsPython()
	case stEscaped:
		return s.inEscaped()
	case stComment:
		return s.inComment()
	}
	s.pos = len(s.text) // stRest and stOver
	return false
}

// inText goes on to the next byte that may begin something.
func (s *Scanner) inText() bool {
	if s.lead {
		return s.atLead()
	}
	if p, ok := s.nextNeedle(); ok {
		return s.construct(p)
	}
	return s.repeatDue() && s.lookForRepeat()
}

// nextNeedle goes on to the next byte that may begin something. It reports false
// if none stands before the end of the text or the next look for repetition.
func (s *Scanner) nextNeedle() (p int, ok bool) {
	end := s.lookEnd(s.pos)
	if s.pos == end || !needles.Has(s.text[s.pos]) {
		s.pos = needles.Index(s.text[:end], s.pos)
	}
	return s.pos, s.pos < end
}

// construct reads what may begin at p. It reports false if more text is needed.
func (s *Scanner) construct(p int) bool {
	switch s.text[p] {
	case '{':
		return s.brace(p)
	case '[':
		return s.bracket(p)
	case '<':
		return s.angle(p)
	case '`', '~':
		return s.marks(p)
	case ':':
		return s.colon(p)
	case '>':
		return s.arrows(p)
	case 0x97:
		return s.triangle(p)
	}
	return s.plain(p, p+1)
}

// plain passes over text that begins nothing, from p to next.
func (s *Scanner) plain(p, next int) bool {
	s.prose(p)
	s.pos = next
	return true
}

// prose notes that text that is no call stands at p.
func (s *Scanner) prose(p int) {
	if !s.lead && !s.onlyCalls {
		s.prefix = -1
		return
	}
	if s.marker.on && s.marker.pending {
		s.usedMarker(p)
	}
	s.lead, s.called, s.impliedTag, s.soft = false, false, false, false
	s.prefix = -1
	if s.group.inside && !strings.Contains(s.text[s.callEnd:p], "\n") {
		s.fault(ReasonMalformed, p, "the end of the line")
	}
	if s.onlyCalls || s.group.on {
		s.dissolve()
	}
	s.onlyCalls = false
	s.fence.text = true
	if s.marker.on && !s.marker.pending {
		s.marker = marker{}
	}
}

// atLead looks at what stands where a call may begin without a bracket.
func (s *Scanner) atLead() bool {
	p := s.skipSpace(s.pos)
	if s.called {
		s.stringGoesOn(p)
		p = s.skipSeparators(p)
	}
	s.pos = p
	if p == len(s.text) || s.called && s.text[p:] == `\` && !s.eof {
		return false
	}
	c := s.text[p]
	switch {
	case s.fence.kind == fencePython && c != '[' && !(s.fence.used && c == s.fence.char):
		return s.leavePython(p)
	case c == '`' || c == '~':
		return s.marks(p)
	case c == '{' || c == '[' || c == '<' || c == '>':
		return s.construct(p)
	case s.called && (c == '}' || c == ']' || c == ')'):
		return s.stray(p)
	case s.called && c == '"':
		return s.behindName(p)
	case c == '#' && s.mayComment(p):
		return s.comment(p)
	case c >= utf8.RuneSelf:
		return s.leadWide(p)
	}
	if s.marker.on && s.marker.pending {
		return s.afterMarker(p)
	}
	return s.orPlain(s.leadWord(p), p)
}

// leadWide looks at a character beyond ASCII at the lead.
func (s *Scanner) leadWide(p int) bool {
	rest := s.text[p:]
	if !utf8.FullRuneInString(rest) && !s.eof {
		return false
	}
	if s.onlyCalls || s.called { // an edge of the reply, or it may be one
		if r, n := utf8.DecodeRuneInString(rest); isInvisible(r) {
			return s.drop(p, p+n, dropEdge)
		}
	}
	if strings.HasPrefix(rest, "◁") {
		return s.triangle(p + 1)
	}
	if s.atLine(p) || s.called {
		if w, n := lexLine(rest); w != wordNone {
			return s.lineWord(p, w, n)
		}
		if !s.eof && mayBeLineWord(rest) {
			return false
		}
	}
	if s.marker.on && s.marker.pending {
		return s.afterMarker(p)
	}
	if strings.HasPrefix(rest, "“") && s.mayBeWhole() {
		return s.orPlain(s.quotedAt(p), p)
	}
	return s.plain(p, p)
}

func (s *Scanner) skipSpace(p int) int {
	for p < len(s.text) && isSpace(s.text[p]) {
		p++
	}
	return p
}

// look passes over white space from p on, as far as is looked.
func (s *Scanner) look(p int) int {
	for end := min(len(s.text), p+maxLook); p < end && isSpace(s.text[p]); {
		p++
	}
	return p
}

// drop makes a dropped piece of [start, end) and passes over it; what was open
// before it is text, unless it belongs to a call.
func (s *Scanner) drop(start, end int, reason dropReason) bool {
	s.lead, s.pos = true, end
	if s.prefix >= 0 && (s.marker.pending || s.impliedTag) && reason == dropToken {
		return true // decided with the marker
	}
	if s.prefix >= 0 && s.called {
		s.add(pieceText, s.prefix, dropNone)
		s.add(pieceDrop, start, dropSeparator)
	}
	s.prefix = -1
	s.add(pieceText, start, dropNone)
	s.add(pieceDrop, end, reason)
	return true
}

// open notes that what begins at p belongs to a call if one follows.
func (s *Scanner) open(p int) {
	if s.prefix < 0 {
		s.add(pieceText, p, dropNone)
		s.prefix = p
	}
}

// brace begins an object.
func (s *Scanner) brace(p int) bool {
	key := strings.HasPrefix(s.text[p+1:], `"`) // it opens an object, as most do
	if !key {
		n := runLen(s.text[:min(len(s.text), p+repeatBraces)], p)
		if n == repeatBraces {
			return s.repetition(p)
		}
		if p+n == len(s.text) && !s.eof {
			return false
		}
	}
	if s.fence.kind == fencePython {
		return s.leavePython(p)
	}
	if !s.lead && s.recipientOf(p) {
		return true
	}
	if !key && opensNothing(s.text[p+1:]) {
		return s.plain(p, p+1)
	}
	if !s.lead {
		return s.data(p)
	}
	return s.object(p)
}

// object begins to read the object at p.
func (s *Scanner) object(p int) bool {
	if is := s.escapedAt(p); is != no {
		return is == yes
	}
	c := s.candidate(p)
	c.argsMayGoOn = c.called && s.argsMayGoOn
	s.read.begin(p)
	s.read.sure = false
	return true
}

// opensNothing reports whether what follows a brace shows at once that it
// begins no candidate: neither a key nor the end of the object.
func opensNothing(s string) bool {
	i := 0
	for i < len(s) && i < maxName && isSpace(s[i]) {
		i++
	}
	word := i
	for i < len(s) && i < 2*maxName && isLetter(s[i]) {
		i++
	}
	if i > word && (i == len(s) || s[i] != ' ') {
		return false // the word may go on
	}
	for i < len(s) && i < 3*maxName && s[i] == ' ' {
		i++
	}
	return i < len(s) && (isDigit(s[i]) || strings.IndexByte("{[(|,;.!?=+*&%$^@)]>-", s[i]) >= 0)
}

// bracket begins a list, or reads a marker in square brackets.
func (s *Scanner) bracket(p int) bool {
	functools := false
	if start := s.lineStart(p); s.text[start:p] == "functools" && s.done <= start {
		functools = true
		s.open(start)
	}
	switch t, ok := lexBracket(s.text[p:], s.eof); ok {
	case yes:
		return s.tagged(p, t)
	case maybe:
		return false
	}
	ok, calls := s.opensList(p)
	if ok == maybe {
		return false
	}
	if ok == no && s.eof && s.called && s.wasList && s.begunName(p+1) {
		s.cut("the rest of a call") // behind lists of calls: another was begun
	}
	if ok == no || s.fence.kind == fencePython && !calls {
		if s.fence.kind == fencePython {
			return s.leavePython(p)
		}
		return s.plain(p, p+1)
	}
	if functools {
		s.lead, s.soft, s.label = true, true, DialectFunctools
	}
	s.candidate(p)
	s.read.begin(p)
	s.read.calls, s.read.colons = true, s.cand.place.hard || s.fence.calls
	return true
}

// begunName reports whether the text ends in what may become the name of a tool,
// behind p.
func (s *Scanner) begunName(p int) bool {
	word := s.text[s.look(p):]
	n := wordLen(word)
	return n > 0 && n == len(word) && s.reg.mayBecome(word)
}

// maxLook is how much white space is looked over to see what follows.
const maxLook = 1024

// opensList reports whether the [ at p begins a candidate, and whether a call
// expression comes first in it.
func (s *Scanner) opensList(p int) (ok tri, calls bool) {
	q := s.look(p + 1)
	for end := p + maxLook; q < min(len(s.text), end) && s.text[q] == '#'; { // Python's comment
		i := strings.IndexByte(s.text[q:min(len(s.text), end)], '\n')
		switch {
		case i >= 0:
			q = s.look(q + i)
		case len(s.text) < end:
			q = len(s.text)
		default:
			return no, false
		}
	}
	if q == len(s.text) {
		if s.eof {
			return no, false
		}
		return maybe, false
	}
	switch c := s.text[q]; {
	case c == '{' || c == '"' || c == '\'' || c == '[' || c == '(':
		return yes, false
	case strings.HasPrefix(s.text[q:], "“"):
		return yes, false
	case !s.eof && strings.HasPrefix("“", s.text[q:]):
		return maybe, false
	case isLetter(c):
		n := wordLen(s.text[q:])
		if goesOn(s.text[q:], n) && !s.eof {
			return maybe, false
		}
		_, known := callName(s.text[q:], &s.reg)
		begun := goesOn(s.text[q:], n) && q > s.look(p+1) && s.reg.mayBecome(s.text[q:q+n]) // behind a comment
		if known || begun {
			return yes, true
		}
	}
	return no, false
}

// endReply ends the reply at p: what follows was invented.
func (s *Scanner) endReply(p int, why dropReason) bool {
	if s.marker.pending {
		s.usedMarker(p)
	}
	s.dissolveUnlessOnly()
	s.prefix = -1
	s.add(pieceText, p, dropNone)
	s.state, s.over, s.overAt = stOver, why, p
	s.pos = len(s.text)
	return false
}

// hasBefore reports whether an answer or a call stands before p.
func (s *Scanner) hasBefore(p int) bool {
	for i := range s.count() {
		switch q := s.at(i); {
		case q.start >= p:
			return false
		case q.kind == pieceCall || q.kind == pieceHeld:
			return true
		case q.kind == pieceText && strings.TrimSpace(s.text[q.start:min(q.end, p)]) != "":
			return true
		}
	}
	return s.done < p && strings.TrimSpace(s.text[s.done:p]) != ""
}
