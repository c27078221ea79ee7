package parse

import (
	"strings"
)

// partTag reads a marker that belongs between a name and arguments, where no
// name has been read: a recipient may stand before it on its line.
func (s *Scanner) partTag(p, end int) bool {
	if s.lead && s.called { // what it announces stands apart from the call
		s.fault(ReasonAmbiguous, p, "one object of arguments")
	}
	start, name, d := s.calleeBefore(p)
	if name == "" {
		return s.drop(p, end, dropToken)
	}
	return s.beginNamed(named{start: start, name: name, at: end, dialect: d})
}

// calleeBefore returns the recipient of a call that the line of p begins with, or
// the function that is all of it up to p, and where that begins. A call ends the line
// before it. The name is "" if there is none.
func (s *Scanner) calleeBefore(p int) (start int, name string, d Dialect) {
	start, held := s.heldBefore(p)
	if i := strings.LastIndex(held, "to="); i >= 0 {
		if name, ok := recipient(held[i:], &s.reg); ok {
			switch strings.TrimPrefix(strings.TrimSpace(held[:i]), "assistant") {
			case "", "commentary", "analysis":
				return start, name, DialectHarmony
			}
			return 0, "", "" // another recipient, or what had no need to be held
		}
	}
	if name := strings.TrimSpace(held); strings.HasPrefix(name, "functions.") && wordLen(name) == len(name) && s.reg.known(name) {
		return start, name, DialectKimi
	}
	return 0, "", ""
}

// heldBefore returns what was held of the line of p, up to there, as it may name a
// recipient, and where that begins.
func (s *Scanner) heldBefore(p int) (start int, held string) {
	start = s.behindLast(s.lineStart(p))
	if p-start > maxTag {
		return start, "" // the line is no longer held back
	}
	for start < p && isSpace(s.text[start]) {
		start++
	}
	held = s.text[start:p]
	if start < s.done || !holdsRecipient(held) {
		return start, ""
	}
	return start, held
}

// recipientOf reports whether the brace at p opens the arguments of a recipient,
// with which its line begins: harmony without its tokens.
func (s *Scanner) recipientOf(p int) bool {
	i := p
	for i > 0 && s.text[i-1] == ' ' {
		i--
	}
	if i == 0 || !isNameByte(s.text[i-1]) {
		return false
	}
	before := strings.TrimRight(strings.TrimSuffix(s.text[max(0, i-maxTag):i], "json"), " ")
	start, name, d := s.calleeBefore(p)
	if d == "" && endsInHeader(before) {
		s.fault(ReasonMalformed, p, "a call on a line of its own")
		return s.pass(p, p+1)
	}
	if d != DialectHarmony || !strings.HasSuffix(before, name) && !strings.HasSuffix(before+"json", name) {
		return false
	}
	if short, ok := strings.CutSuffix(name, "json"); ok && !s.reg.known(name) {
		name = short
	}
	return s.beginNamed(named{start: start, name: name, at: p, dialect: d})
}

// endsInHeader reports whether before ends in a header of harmony without its tokens,
// whose role runs into its channel. No prose has that, wherever on its line it stands.
func endsInHeader(before string) bool {
	i := strings.LastIndexByte(before, ' ') + 1
	name, ok := strings.CutPrefix(before[i:], "to=functions.")
	return ok && wordLen(name) == len(name) && strings.HasSuffix(before[:i], "assistantcommentary ")
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

// channel reads harmony's <|channel|>, or Gemma's <|channel>.
func (s *Scanner) channel(p, end int, t *tag) bool {
	if t.close { // Gemma's <channel|>
		return s.thinkTag(p, end, t)
	}
	if t.half {
		const word = "thought"
		switch begins(s.text[end:], word, s.eof) {
		case yes:
			return s.openThought(p, end+len(word), thinkGemma, "channel")
		case maybe:
			return false
		}
		return s.pass(p, end)
	}
	start, name, _ := s.calleeBefore(p)
	if name == "" {
		start = s.strangerBefore(p)
	}
	if start < p {
		s.beginPrefix(start)
	}
	s.header(p, named{start: start, name: name})
	return true
}

// header begins reading a header of harmony at p. The recipient may stand before: what it
// calls begins there.
func (s *Scanner) header(p int, callee named) {
	s.named = callee
	s.state, s.pos = stHeader, p
}

// maxHeader is the longest header of a harmony message, in bytes.
const maxHeader = 512

// inHeader reads the header of a harmony message: <|start|>WHO, <|channel|>
// and its name, a recipient, up to <|message|>.
func (s *Scanner) inHeader() bool {
	p := s.pos
	rest := s.text[p:min(len(s.text), p+maxHeader)]
	n, ok := headerLen(rest)
	if ok == maybe && len(rest) < maxHeader && !s.eof {
		return false
	}
	h := rest[:n]
	if beginsOthersTurn(h) {
		return s.endReply(p, dropTurn)
	}
	if ok != yes {
		if name := calleeBeforeArgs(h, &s.reg); name != "" {
			return s.beginNamed(named{start: s.named.start, name: name, at: p + n, dialect: DialectHarmony})
		}
		return s.headerCut(p, ok)
	}
	body := p + n + len(endOfHeader)
	_, ch, _ := strings.Cut(h, "<|channel|>")
	ch = strings.TrimSpace(ch)
	start, name := s.named.start, s.named.name
	if name == "" {
		var is tri
		if name, is = s.calleeIn(s.text[start:p+n], ch, body); is == maybe {
			return false
		}
	}
	s.state = stText
	switch {
	case name != "":
		return s.beginNamed(named{start: start, name: name, at: body, dialect: DialectHarmony})
	case strings.HasPrefix(ch, "analysis"):
		return s.openThought(p, body, thinkHarmony, "")
	case strings.HasPrefix(ch, "final"):
		s.finalAt = body
		return s.drop(p, body, dropLabel)
	}
	return s.drop(p, body, dropToken)
}

// calleeIn returns the recipient in the header h of the channel ch, whose message begins
// at body; "" for none. What is no known tool is called in a thought only with an object:
// gpt-oss also runs Python so.
func (s *Scanner) calleeIn(h, ch string, body int) (name string, is tri) {
	i := strings.Index(h, "to=")
	if i < 0 {
		return "", no
	}
	if name, ok := recipient(h[i:], &s.reg); ok {
		return name, yes
	}
	name, ok := strangerIn(h[i:])
	if !ok || strings.HasPrefix(ch, "final") {
		return "", no
	}
	if strings.HasPrefix(ch, "analysis") {
		at := s.lookPast(body)
		if at == len(s.text) {
			return "", s.maybeIf(true)
		}
		if s.text[at] != '{' {
			return "", no
		}
	}
	return name, yes
}

// strangerBefore returns where the line of p begins if all of it up to there names a
// stranger, its role apart; else p.
func (s *Scanner) strangerBefore(p int) int {
	start, held := s.heldBefore(p)
	to := strings.TrimSpace(strings.TrimPrefix(held, "assistant"))
	if name, ok := strangerIn(to); !ok || len(to) != len("to=")+len(name) {
		return p
	}
	return start
}

// strangerIn reads to=NAME of a tool that is not known: gpt-oss calls those that it was
// trained with, such as container.exec.
func strangerIn(s string) (name string, ok bool) {
	s, ok = strings.CutPrefix(s, "to=")
	if !ok {
		return "", false
	}
	name = s[:wordLen(s)]
	switch name {
	case "assistant", "user", "system", "developer", "all", "functions":
		return "", false
	}
	ends := len(name) == len(s) || isSpace(s[len(name)]) || s[len(name)] == '<'
	return name, ends && wellFormed(name)
}

const endOfHeader = "<|message|>"

// headerLen looks for the end of the header that s begins with. No other token
// than those of a header may come before, and no object: n is where that begins.
func headerLen(s string) (n int, ok tri) {
	for n < len(s) {
		i, brace := strings.Index(s[n+1:], "<|"), strings.IndexByte(s[n+1:], '{')
		switch {
		case brace >= 0 && (i < 0 || brace < i):
			return n + 1 + brace, no // the arguments begin
		case i < 0:
			return 0, maybe
		}
		n += 1 + i
		rest := s[n:]
		switch {
		case strings.HasPrefix(rest, endOfHeader):
			return n, yes
		case strings.HasPrefix(rest, "<|constrain|>"), strings.HasPrefix(rest, "<|channel|>") && !strings.Contains(s[:n], "<|channel|>"):
		case strings.HasPrefix(endOfHeader, rest), strings.HasPrefix("<|constrain|>", rest), strings.HasPrefix("<|channel|>", rest):
			return 0, maybe
		default:
			return 0, no
		}
	}
	return 0, maybe
}

// beginsOthersTurn reports whether a header begins a turn that is not the model's, or a
// result.
func beginsOthersTurn(h string) bool {
	who, ok := strings.CutPrefix(h, "<|start|>")
	if !ok {
		return false
	}
	role := strings.ToLower(who[:wordLen(who)])
	return isOthersRole(role) || strings.HasPrefix(role, "functions.") || role != "assistant" && strings.Contains(h, "to=assistant")
}

// headerTokens are the tokens within a header.
var headerTokens = strings.NewReplacer("<|start|>", " ", "<|channel|>", " ", "<|constrain|>", " ")

// calleeBeforeArgs returns the recipient in a header of the model that arguments follow
// without its end, if nothing but words of a header stands around it; else "".
func calleeBeforeArgs(h string, reg *registry) string {
	before, behind, ok := strings.Cut(h, "to=")
	if !ok {
		return ""
	}
	name, ok := recipient("to="+behind, reg)
	if !ok {
		return ""
	}
	for word := range strings.FieldsSeq(headerTokens.Replace(before + " " + behind[len(name):])) {
		switch word {
		case "assistant", "commentary", "analysis", "json":
		default:
			return ""
		}
	}
	return name
}

// headerCut acts on a header that never ends.
func (s *Scanner) headerCut(p int, ok tri) bool {
	s.state, s.openHeader = stText, ok == maybe && len(s.text)-p < maxHeader
	var t tag
	lexTag(&t, s.text[p:], true)
	if i := strings.Index(s.text[p:min(len(s.text), p+maxHeader)], "to="); i >= 0 && s.eof {
		name, ok := recipient(s.text[p+i:], &s.reg)
		if !ok {
			name, ok = strangerIn(s.text[p+i:])
		}
		if ok {
			return s.beginNamed(named{start: p, name: name, at: len(s.text), dialect: DialectHarmony})
		}
	}
	end := p + t.n
	for end < min(len(s.text), p+maxHeader) && isLetter(s.text[end]) {
		end++
	}
	if n := s.named; n.name != "" {
		if ok == maybe && s.eof {
			end = len(s.text) // what would end the header has not come
		}
		return s.beginNamed(named{start: n.start, name: n.name, at: end, dialect: DialectHarmony})
	}
	s.drop(p, end, dropToken)
	s.impliedTag = true
	return true
}

// holdsRecipient reports whether a line may go on to name a recipient.
func holdsRecipient(line string) bool {
	if line == "" || strings.IndexByte("tcaf", line[0]) < 0 {
		return false
	}
	for _, w := range [...]string{"to=", "commentary to=", "analysis to=", "assistant to=", "assistantcommentary to=", "assistantanalysis to=", "functions."} {
		if strings.HasPrefix(line, w) || strings.HasPrefix(w, line) {
			return true
		}
	}
	return false
}
