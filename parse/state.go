package parse

import "strings"

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
	stTagArgs                // arguments between tags
	stHeader                 // harmony's header of a message
	stAction                 // the rest of an Action: line
	stInput                  // an Action Input that is plain text
	stPython                 // what follows a list of calls in a python fence
	stRest                   // text to the end
	stEscaped                // an object whose quotes are escaped
	stComment                // a comment beside call expressions
	stOver                   // nothing counts any more
)

// scanState is what the scanner knows of the text before pos.
type scanState struct {
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
	wasExpr     bool // it was a call expression, or a list of them
	bareExpr    bool // it was a call expression without a list
	argsMayGoOn bool // its name stood apart from its arguments: more of them may come
	plainString bool // its argument is a plain string, which may go on
	shutByTag   bool // a closing tag of its own ended it
	argsInTags  bool // the last whose name stood apart had its arguments between tags
	equal       int  // how many equal calls stand in a row

	// Lines, by the offset of their first byte.
	here        lines // the line of pos
	ahead       lines // the line at the end of the text
	oddLine     int   // the last on which a backtick stands alone, or -1
	mentionLine int   // the last on which a sentence only mentions a call, or -1
	mentionEnd  int   // where that call ends
	ownList     bool  // a list of call expressions counts because of where it stands
	noted       notedLists
	noCloser    [3]int // the last on which no run of 1, of 2, of 3 or more backticks closes a span, or -1

	// How far the text was searched in vain.
	blockSeen   int // for the end of a line in a blocked fence
	spanSeen    int // for the end of a code span
	notWhole    int // where the code span begins that is not the whole reply, behind its run; or 0
	repeatCheck int // the offset at which repetition is looked for next
	repeatFloor int // it is looked for behind this offset only

	// What is open.
	fenceRun    run // in stFence: the run of backticks or tildes that the line began with
	tick        run // the last run of backticks that a candidate may stand behind
	fence       fence
	nest        []int // in stBlocked: the lengths of the runs of the open fences, the outermost first
	marker      marker
	soft        bool    // a soft marker
	softDialect Dialect // of the calls that it announces, if they have one of their own
	group       group
	cand        candidate
	escaped     escaped
	named       named
	tagArgs     tagArgs
	think       thought
	mid         middle

	// What was found so far.
	atFault      fault  // the first reason not to run the reply, if any
	answer       answer // the last that a pseudo tool held, if any
	finalAt      int    // where the final answer begins, or -1
	beforeAnswer int    // how many pieces stand before it
	reactThought bool   // a ReAct thought
	struck       bool   // an <s> of HTML, which is not closed
	dialogue     bool   // a turn of the user behind an answer or a call, as its words
	openHeader   bool   // the text ends in what may be a header of harmony: more of it may come
	unreadData   bool   // the text ends in data that was not looked into for tokens
}

// start makes it that of the beginning of a reply, and keeps the room of its lists.
func (s *scanState) start(o Options) {
	*s = scanState{
		lead: true, onlyCalls: true, prefix: -1, oddLine: -1, mentionLine: -1, finalAt: -1,
		noCloser: [3]int{-1, -1, -1}, noted: notedLists{at: -1}, repeatCheck: repeatWindow,
		nest: s.nest[:0],
	}
	if o.InThought {
		s.state = stThink
		s.think = thought{kind: thinkTemplate, seen: true}
	}
}

// run reads as far as the text goes.
func (s *Scanner) run() {
	for s.step() && (s.pos < len(s.text) || s.eof || s.repeatDue()) {
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
	case stTagArgs:
		return s.inTagArgs()
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

// tri is an answer that may have to wait for more text.
type tri uint8

const (
	no tri = iota
	maybe
	yes
)

// begins says whether s begins with word. It is maybe if all of s does so far, and
// more may come.
func begins(s, word string, eof bool) tri {
	switch {
	case strings.HasPrefix(s, word):
		return yes
	case !eof && strings.HasPrefix(word, s):
		return maybe
	}
	return no
}

// maybeIf is maybe if the answer is still open and more text may come; else no.
func (s *Scanner) maybeIf(open bool) tri {
	if open && !s.eof {
		return maybe
	}
	return no
}

// orPass passes on to the word at p as text if it is nothing else.
func (s *Scanner) orPass(is tri, p int) bool {
	return is != maybe && (is == yes || s.pass(p, p))
}
