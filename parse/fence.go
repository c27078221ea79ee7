package parse

import (
	"strings"

	"github.com/localagent/localagent/parse/internal/byteset"
)

// fence is the fence that is open.
type fence struct {
	run
	kind   fenceKind
	char   byte
	body   int  // where its content begins
	line   int  // the line it opens on
	inline bool // its content begins on its opening line
	calls  bool // its info string speaks of calls, as tool_code does
	used   bool // a call stands in it
	text   bool // other text stands in it

	markdown bool // its content is Markdown, in which fences may stand
}

type fenceKind uint8

const (
	fenceNone fenceKind = iota
	fenceCalls
	fencePython // holds calls only if a list of them is all it holds, and stands in no marker
	fenceOther
)

// callInfos are the info strings of fences that may hold calls, in lower case.
var callInfos = map[string]bool{
	"": true, "json": true, "jsonc": true, "json5": true, "jsonl": true, "ndjson": true, "text": true, "txt": true,
	"plaintext": true, "xml": true, "tool": true, "tools": true, "tool_call": true, "tool_calls": true, "tools_call": true,
	"tool_code": true, "tool_use": true, "function_call": true, "action": true,
}

// fenceOrSpan reads the run of backticks or tildes at p: a fence, a code span, or
// neither.
func (s *Scanner) fenceOrSpan(p int) bool {
	n := runLen(s.text, p)
	switch {
	case n == maxRun:
		return s.pass(p, p+n)
	case p+n == len(s.text) && !s.eof:
		return false
	case s.spanSeen > p+n && s.text[p] == '`': // it is a span, whose end has been looked for
		return s.span(p, n)
	case s.isFence(p, n):
		s.state, s.pos, s.fenceRun = stFence, p+n, run{p, n}
		return s.inFence()
	case s.text[p] == '`':
		return s.span(p, n)
	}
	return s.pass(p, p+n)
}

// isFence reports whether the run of n at p may open or close a fence.
func (s *Scanner) isFence(p, n int) bool {
	f := &s.fence
	if n < 3 || f.kind != fenceNone && (f.char != s.text[p] || n < f.n) {
		return false
	}
	if s.text[p] == '`' {
		return f.kind == fenceNone || s.atLine(p)
	}
	return s.blankBefore(p)
}

// The bytes that may end an info string, and its first word.
var (
	infoEnds = byteset.New(func(c byte) bool { return strings.IndexByte("\n`{[(<", c) >= 0 })
	wordEnds = byteset.New(func(c byte) bool { return strings.IndexByte(" \t,{:", c) >= 0 })
)

// inFence reads the rest of the line of a fence.
func (s *Scanner) inFence() bool {
	p, n, t := s.fenceRun.at, s.fenceRun.n, s.text
	i := s.pos
	for ; i < len(t); i++ {
		c := t[i]
		if !infoEnds.Has(c) {
			continue
		}
		s.pos = i
		switch {
		case c == '\n':
			return s.fenceLine(i + 1)
		case c == '`' && t[p] == '`':
			s.state, s.pos = stText, p
			if s.fence.kind != fenceNone {
				return s.pass(p, p+n)
			}
			return s.span(p, n)
		case (c == '{' || c == '[') && s.infoMayHold(p+n, i), c == '(' && s.infoCalls(p+n, i):
			return s.openFence(s.fenceRun, i, strings.TrimSpace(t[p+n:i]), true)
		case c == '<' && s.fence.used:
			return s.closesAtTag()
		}
	}
	s.pos = i
	if !s.eof {
		return false
	}
	return s.fenceLine(i)
}

// closesAtTag closes a fence that holds a call at the run that was read, as a tag
// stands behind it, at pos: DeepSeek's tokens go on there.
func (s *Scanner) closesAtTag() bool {
	p, n := s.fenceRun.at, s.fenceRun.n
	var t tag
	switch ok := lexTag(&t, s.text[s.pos:], s.eof); {
	case ok == maybe:
		return false
	case ok == yes && s.pos-p-n <= maxTag && strings.TrimSpace(s.text[p+n:s.pos]) == "":
		return s.closeFence(p, p+n)
	}
	s.pos++
	return true
}

// infoMayHold reports whether an object or a list at q on the line of a fence
// belongs to its content.
func (s *Scanner) infoMayHold(start, q int) bool {
	if q-start > maxTag {
		return false
	}
	info := strings.ToLower(strings.TrimSpace(s.text[start:q]))
	return callInfos[info] || s.reg.known(strings.TrimSpace(s.text[start:q]))
}

// infoCalls reports whether a call expression stands on the line of a fence.
func (s *Scanner) infoCalls(start, q int) bool {
	if q-start > maxTag {
		return false
	}
	name := strings.TrimSpace(s.text[start:q])
	return wordLen(name) == len(name) && s.reg.known(name)
}

// fenceLine acts on the line that opens or closes a fence, which ends before next.
func (s *Scanner) fenceLine(next int) bool {
	p, n := s.fenceRun.at, s.fenceRun.n
	info := strings.TrimSpace(s.text[p+n : next])
	if s.group.inside && s.text[next-1] != '\n' {
		s.countByEnd() // the text ends in the line, which may have gone on
	}
	if s.fence.kind != fenceNone && info == "" {
		return s.closeFence(p, next)
	}
	if s.fence.used && (isSentence(info) || info == "assistant" || strings.Trim(info, ".,;") == "") {
		return s.closeFence(p, p+n)
	}
	if s.fence.kind != fenceNone {
		s.closeFence(p, p) // the closing line was left out
	}
	return s.openFence(s.fenceRun, next, info, false)
}

// isSentence reports whether what stands behind a run is no info string, such
// as go or json title="x", but the prose that goes on.
func isSentence(info string) bool {
	words := strings.Fields(info)
	return len(words) > 1 && words[1][0] != '{' && !strings.Contains(words[1], "=") && !callInfos[strings.ToLower(words[0])]
}

// openFence opens the fence of a run, with the info string behind it, whose
// content begins at body, on the same line or below.
func (s *Scanner) openFence(r run, body int, info string, sameLine bool) bool {
	p, word := r.at, infoWord(info)
	s.fence = fence{}
	f := &s.fence
	f.run, f.char, f.body, f.line, f.inline = r, s.text[p], body, s.lineStart(p), sameLine
	var names bool
	f.kind, names, f.calls = s.infoMeans(word)
	s.state = stText
	if sameLine && names && s.text[body] == '(' {
		names, body = false, body-len(word) // a call expression
		for !strings.HasPrefix(s.text[body:], word) {
			body--
		}
	}
	s.pos = body
	if f.kind == fenceOther && isResultInfo(word) && s.behindCall() {
		s.fence = fence{}
		return s.endReply(p, dropResult)
	}
	if f.kind == fenceOther {
		if s.marker.on && s.marker.pending {
			s.usedMarker(p)
		}
		s.prose(p)
		s.nest = append(s.nest[:0], r.n)
		f.markdown = strings.EqualFold(word, "markdown") || strings.EqualFold(word, "md")
		s.state, s.lead = stBlocked, false
		return true
	}
	if !s.lead && !(s.marker.on && s.marker.pending) {
		s.prefix = -1
	}
	s.beginPrefix(p)
	s.lead, s.called = true, false
	if names {
		s.named = named{start: p + r.n + strings.Index(s.text[p+r.n:body], word), name: word, dialect: DialectExpression, at: body, fenced: true}
		s.state = stNamed
	}
	return true
}

// isResultInfo reports whether a result stands in a fence with the word as its info string,
// as in a tag of that name.
func isResultInfo(word string) bool {
	word = strings.ToLower(word)
	return word == "output" || markers[word].kind == markResult
}

// infoWord is the first word of an info string.
func infoWord(info string) string {
	for i := range len(info) {
		if wordEnds.Has(info[i]) {
			return info[:i]
		}
	}
	return info
}

// infoMeans says what a fence with the word as its info string holds, whether the
// word names a tool, and whether it speaks of calls.
func (s *Scanner) infoMeans(word string) (kind fenceKind, names, calls bool) {
	if word == "" || word == "json" {
		return fenceCalls, false, false
	}
	calls = strings.Contains(word, "tool") || strings.Contains(word, "function") || strings.Contains(word, "action")
	switch w := strings.ToLower(strings.Trim(word, ".")); {
	case callInfos[w]:
		return fenceCalls, false, calls
	case s.reg.known(word):
		return fenceCalls, true, calls
	case w != "python":
		return fenceOther, false, calls
	case s.marker.on && s.marker.pending: // MiniCPM
		return fenceCalls, false, calls
	}
	return fencePython, false, calls
}

// closeFence closes the open fence with the run at p.
func (s *Scanner) closeFence(p, next int) bool {
	if s.group.inside {
		s.confirm()
	}
	used := s.fence.used
	s.fence = fence{}
	s.state = stText
	if s.marker.on && s.marker.pending {
		// ```json inside a tag, closed without a call
		s.pos = next
		return true
	}
	if used {
		end := s.lineEnd(next)
		s.drop(p, end, dropFence)
		s.called = true
		s.pos = max(next, end)
		return true
	}
	s.pos = max(next, p)
	if next > p {
		s.prose(p)
	}
	return true
}

// inSentence reports whether the open fence begins in a sentence, content and all:
// what looks like one may be a code span.
func (s *Scanner) inSentence() bool { return s.fence.inline && !s.ownLine(s.fence.at) }

// lineEnd returns the end of the line before next. Its line break is left to the text.
func (s *Scanner) lineEnd(next int) int {
	for next > 0 && (s.text[next-1] == '\n' || s.text[next-1] == '\r') {
		next--
	}
	return next
}

// inBlocked looks for the line that closes a fence that holds no calls. A line
// with an info string opens one inside it.
func (s *Scanner) inBlocked() bool {
	for {
		from := max(s.pos, s.blockSeen)
		stop := s.lookEnd(from)
		i := strings.IndexByte(s.text[from:stop], '\n')
		end := from + i
		if i < 0 {
			s.blockSeen = stop
			if s.repeatDue() {
				if !s.lookForRepeat() {
					return false
				}
				continue
			}
			if !s.eof {
				return false
			}
			end = len(s.text)
		}
		line := s.text[s.pos:end]
		if j := endTokenAt(line); j > 0 {
			line, end = line[:j], s.pos+j // a token behind the closing run
		}
		switch s.blockedLine(line, end) {
		case maybe:
			return false
		case yes:
			s.fence = fence{}
			s.state, s.pos = stText, end
			s.lead = false
			return true
		}
		if i < 0 {
			s.pos = len(s.text)
			return false
		}
		s.pos = end + 1
	}
}

// endTokenAt returns where a control token stands directly behind a run that may
// close a fence, on a line of at most maxLook bytes; 0 if none does.
func endTokenAt(line string) int {
	if len(line) > maxLook {
		return 0
	}
	trimmed := strings.TrimLeft(line, " ")
	if trimmed == "" || trimmed[0] != '`' && trimmed[0] != '~' {
		return 0
	}
	n := runLen(trimmed, 0)
	rest := strings.TrimLeft(trimmed[n:], " \t")
	if !strings.HasPrefix(rest, "<") {
		return 0
	}
	var t tag
	if lexTag(&t, rest, true) != yes || t.kind != markToken {
		return 0
	}
	return len(line) - len(rest)
}

// blockedLine looks at a line of a blocked fence, which ends at end. It is yes if it
// closes the outermost, maybe if what follows tells.
func (s *Scanner) blockedLine(line string, end int) tri {
	f := &s.fence
	trimmed := strings.TrimLeft(line, " ")
	if trimmed == "" || trimmed[0] != f.char || len(line)-len(trimmed) > 3 {
		return no
	}
	n := runLen(trimmed, 0)
	if n < 3 {
		return no
	}
	info := strings.TrimSpace(trimmed[n:])
	inner := s.nest[len(s.nest)-1]
	switch {
	case info == "" && n >= inner:
		if f.markdown && len(s.nest) == 1 {
			switch s.opensInner(end) {
			case maybe:
				return maybe
			case yes:
				s.nest = append(s.nest, n)
				return no
			}
		}
		s.nest = s.nest[:len(s.nest)-1]
	case info != "" && len(s.nest) < maxDepth && !strings.ContainsRune(info, rune(f.char)):
		s.nest = append(s.nest, n)
	}
	if len(s.nest) > 0 {
		return no
	}
	return yes
}

// opensInner reports whether a bare run in Markdown, on the line from pos to end, opens
// a fence in it: text stands on the next line, and a blank line, a colon or a heading
// before, while what closes the Markdown stands mostly below its last words. What looks
// like a call on the next line counts as text only below a blank line or a colon.
func (s *Scanner) opensInner(end int) tri {
	if end < len(s.text) && s.text[end] != '\n' {
		return no // a token stands there
	}
	next := min(len(s.text), end+1)
	for next < len(s.text) && next < end+maxLook && strings.IndexByte(" \t\r", s.text[next]) >= 0 {
		next++
	}
	switch {
	case next == len(s.text):
		return s.maybeIf(true)
	case s.text[next] == '\n' || s.text[next] == s.fence.char || next == end+maxLook:
		return no
	}
	before := strings.TrimRight(s.text[max(0, s.pos-maxTag):s.pos], " \t\r")
	before = strings.TrimRight(strings.TrimSuffix(before, "\n"), " \t\r")
	last := before[strings.LastIndexByte(before, '\n')+1:]
	if last == "" || strings.HasSuffix(last, ":") || last[0] == '#' && strings.IndexByte("{[<", s.text[next]) < 0 {
		return yes
	}
	return no
}
