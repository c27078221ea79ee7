package parse

import "strings"

// callInfos are the info strings of fences that may hold calls, in lower case.
var callInfos = map[string]bool{
	"": true, "json": true, "jsonc": true, "json5": true, "jsonl": true, "ndjson": true, "text": true, "txt": true,
	"plaintext": true, "xml": true, "tool": true, "tools": true, "tool_call": true, "tool_calls": true, "tools_call": true,
	"tool_code": true, "tool_use": true, "function_call": true, "action": true,
}

// marks reads a run of backticks or tildes: of a fence, of a code span, or of neither.
func (s *Scanner) marks(p int) bool {
	n := runLen(s.text, p)
	switch {
	case n == maxRun:
		return s.plain(p, p+n)
	case p+n == len(s.text) && !s.eof:
		return false
	case s.isFence(p, n):
		s.fence.body = p // until the line is read, where its run begins
		s.state, s.pos = stFence, p+n
		return true
	case s.text[p] == '`':
		return s.span(p, n)
	}
	return s.plain(p, p+n)
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

// inFence reads the rest of the line of a fence.
func (s *Scanner) inFence() bool {
	p := s.fence.body
	n := runLen(s.text, p)
	for s.pos < len(s.text) {
		c := s.text[s.pos]
		if c == '\n' {
			return s.fenceLine(p, n, s.pos+1)
		}
		if c == '`' && s.text[p] == '`' {
			s.state, s.pos = stText, p
			if s.fence.kind != fenceNone {
				return s.plain(p, p+n)
			}
			return s.span(p, n)
		}
		if (c == '{' || c == '[') && s.infoMayHold(p+n, s.pos) || c == '(' && s.infoCalls(p+n, s.pos) {
			return s.openFence(p, s.pos, strings.TrimSpace(s.text[p+n:s.pos]), true)
		}
		if c == '<' && s.fence.used {
			return s.closesAtTag(p, n)
		}
		s.pos++
	}
	if !s.eof {
		return false
	}
	return s.fenceLine(p, n, s.pos)
}

// closesAtTag closes a fence that holds a call at the run of n at p, as a tag
// stands behind it, at pos: DeepSeek's tokens go on there.
func (s *Scanner) closesAtTag(p, n int) bool {
	switch _, ok := lexTag(s.text[s.pos:], s.eof); {
	case ok == maybe:
		return false
	case ok == yes && strings.TrimSpace(s.text[p+n:s.pos]) == "":
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
	name := strings.TrimSpace(s.text[start:q])
	return wordLen(name) == len(name) && s.reg.known(name)
}

// fenceLine acts on the line of a fence that ends before next.
func (s *Scanner) fenceLine(p, n, next int) bool {
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
	return s.openFence(p, next, info, false)
}

// isSentence reports whether what stands behind a run is no info string, such
// as go or json title="x", but the prose that goes on.
func isSentence(info string) bool {
	words := strings.Fields(info)
	return len(words) > 1 && words[1][0] != '{' && !strings.Contains(words[1], "=") && !callInfos[strings.ToLower(words[0])]
}

// openFence opens the fence whose run stands at p, with the info string behind it,
// and whose content begins at body, on the same line or below.
func (s *Scanner) openFence(p, body int, info string, sameLine bool) bool {
	word, n := infoWord(info), runLen(s.text, p)
	f := fence{char: s.text[p], n: n, start: p, body: body, line: s.lineStart(p), inline: sameLine}
	f.kind, f.named, f.calls = s.infoMeans(word)
	s.fence = f
	s.state = stText
	if sameLine && f.named != "" && s.text[body] == '(' {
		body -= len(word)
		s.fence.named = ""
		for !strings.HasPrefix(s.text[body:], word) {
			body--
		}
	}
	s.pos = body
	if f.kind == fenceOther {
		if s.marker.on && s.marker.pending {
			s.usedMarker(p)
		}
		s.prose(p)
		s.nest = append(s.nest[:0], n)
		s.state, s.lead = stBlocked, false
		return true
	}
	if !s.lead && !(s.marker.on && s.marker.pending) {
		s.prefix = -1
	}
	s.open(p)
	s.lead, s.called = true, false
	if f.named != "" && s.text[p+n:body] != "" {
		s.named = named{start: p + n + strings.Index(s.text[p+n:body], word), name: word, dialect: DialectExpression, at: body, fenced: true}
		s.state = stNamed
	}
	return true
}

// infoWord is the first word of an info string.
func infoWord(info string) string {
	for i := range len(info) {
		switch info[i] {
		case ' ', '\t', ',', '{', ':':
			return info[:i]
		}
	}
	return info
}

// infoMeans says what a fence with the word as its info string holds: the
// arguments of the tool of that name, calls perhaps, and whether it speaks of
// them.
func (s *Scanner) infoMeans(word string) (kind fenceKind, named string, calls bool) {
	if word == "" || word == "json" {
		return fenceCalls, "", false
	}
	calls = strings.Contains(word, "tool") || strings.Contains(word, "function") || strings.Contains(word, "action")
	switch w := strings.ToLower(strings.Trim(word, ".")); {
	case callInfos[w]:
		return fenceCalls, "", calls
	case s.reg.known(word):
		return fenceCalls, word, calls
	case w != "python":
		return fenceOther, "", calls
	case s.marker.on && s.marker.pending: // MiniCPM
		return fenceCalls, "", calls
	}
	return fencePython, "", calls
}

// closeFence closes the open fence with the run at p.
func (s *Scanner) closeFence(p, next int) bool {
	if s.group.inside {
		s.confirm()
	}
	f := s.fence
	s.fence = fence{}
	s.state = stText
	if s.marker.on && s.marker.pending {
		// ```json inside a tag, closed without a call
		s.pos = next
		return true
	}
	if f.used {
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

// lineEnd leaves the line break in front of next to the text.
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
		if s.blockedLine(line) {
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
	if t, ok := lexTag(rest, true); ok != yes || t.kind != markToken {
		return 0
	}
	return len(line) - len(rest)
}

// blockedLine looks at a line of a blocked fence and reports whether it closes
// the outermost.
func (s *Scanner) blockedLine(line string) bool {
	f := &s.fence
	trimmed := strings.TrimLeft(line, " ")
	if trimmed == "" || trimmed[0] != f.char || len(line)-len(trimmed) > 3 {
		return false
	}
	n := runLen(trimmed, 0)
	if n < 3 {
		return false
	}
	info := strings.TrimSpace(trimmed[n:])
	inner := s.nest[len(s.nest)-1]
	switch {
	case info == "" && n >= inner:
		s.nest = s.nest[:len(s.nest)-1]
	case info != "" && n >= 3 && len(s.nest) < maxDepth && !strings.ContainsRune(info, rune(f.char)):
		s.nest = append(s.nest, n)
	}
	return len(s.nest) == 0
}

// fence is the fence that is open.
type fence struct {
	kind   fenceKind
	char   byte
	n      int // length of its run
	start  int
	body   int
	line   int  // the line it opens on
	inline bool // its content begins on its opening line
	calls  bool // its info string speaks of calls
	used   bool
	text   bool   // other text stands in it
	named  string // its info string names a tool
}

type fenceKind uint8

const (
	fenceNone fenceKind = iota
	fenceCalls
	fencePython // holds calls only if a list of them is all it holds, and stands in no marker
	fenceOther
)
