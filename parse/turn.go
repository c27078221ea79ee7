package parse

import (
	"strings"
	"unicode/utf8"
)

// A turnWord begins a turn of somebody else, or a result, where a line begins with it
// directly behind a call. Anywhere else it is a word of an answer.
type turnWord struct {
	text string
	why  dropReason
}

// turnWords are all turn words, by their first byte.
var turnWords = byFirst(append(spelled([]turnWord{
	{"user", dropTurn}, {"human", dropTurn}, {"system", dropTurn}, // Vicuna and others
	{"instruction", dropTurn},   // Alpaca
	{"observation", dropResult}, // ReAct
	{"tool", dropResult}, {"tool result", dropResult}, {"tool results", dropResult},
	{"tool response", dropResult}, {"tool output", dropResult},
	{"function response", dropResult}, {"function result", dropResult}, {"function output", dropResult}, // Glaive
}), []turnWord{
	{"user\n", dropTurn}, {"human\n", dropTurn}, {"system\n", dropTurn}, {"ipython\n", dropTurn}, {"tool\n", dropTurn},
	{"GPT4 Correct User:", dropTurn}, // OpenChat, Starling
	{"<human>:", dropTurn},
}...))

// spelled gives words as labels: in small letters, with a capital, in capitals; plain,
// bold and as headings.
func spelled(words []turnWord) (rows []turnWord) {
	for _, w := range words {
		first, rest, _ := strings.Cut(w.text, " ")
		capital := strings.ToUpper(w.text[:1]) + w.text[1:]
		spellings := []string{w.text, capital, strings.ToUpper(w.text)}
		if rest != "" {
			title := capital[:len(first)+1] + strings.ToUpper(rest[:1]) + rest[1:]
			spellings = append(spellings, title)
		}
		for _, word := range spellings {
			for _, form := range [...]string{"%:", "%：", "**%:**", "**%**:", "## %:", "### %:", "## %\n", "### %\n"} {
				rows = append(rows, turnWord{strings.Replace(form, "%", word, 1), w.why})
			}
		}
	}
	return rows
}

// byFirst sorts rows into lists by their first byte.
func byFirst(rows []turnWord) (lists [utf8.RuneSelf][]turnWord) {
	for _, w := range rows {
		lists[w.text[0]] = append(lists[w.text[0]], w)
	}
	return lists
}

// lexTurn reads the turn word that line begins with, and says why it ends the
// reply.
func lexTurn(line string, eof bool) (why dropReason, ok tri) {
	if line == "" || line[0] >= utf8.RuneSelf {
		return dropNone, no
	}
	for _, w := range turnWords[line[0]] {
		switch begins(line, w.text, eof) {
		case yes:
			return w.why, yes
		case maybe:
			ok = maybe
		}
	}
	return dropNone, ok
}

// isOthersRole reports whether a role, in small letters, is not the model's.
func isOthersRole(role string) bool {
	switch role {
	case "user", "human", "system", "developer", "tool", "tool_response", "function", "function_response",
		"available_tools", "ipython", "observation", "environment":
		return true
	}
	return false
}

// maxRole is the longest name of a role that is read, in bytes.
const maxRole = 20

// role reads a token that begins a turn, and whose it is.
func (s *Scanner) role(p, end int, t *tag) bool {
	if strings.EqualFold(t.name, "start") && t.bars {
		s.header(p, named{start: p})
		return true
	}
	q := end
	for q < len(s.text) && q < end+maxRole && (isLetter(s.text[q]) || q == end && s.text[q] == ' ') {
		q++
	}
	if q == len(s.text) && !s.eof {
		return false
	}
	role := strings.ToLower(strings.TrimSpace(s.text[end:q]))
	if isOthersRole(role) {
		return s.endReply(p, dropTurn)
	}
	switch role {
	case "assistant", "model", "chatbot", "gpt", "bot":
		s.drop(p, q, dropToken)
		s.impliedTag = false
		return true
	}
	s.drop(p, end, dropToken)
	s.impliedTag = true // a role token without a role, where a tag is due
	return true
}

// inDialogue reports whether a turn of the assistant begins with the name that stands
// in [start, p), at the start of a line or directly behind a call, and someone else
// has spoken behind an answer or a call, which it notes. Nothing in such a dialogue is
// meant.
func (s *Scanner) inDialogue(start, p int) bool {
	switch strings.Trim(s.text[start:p], " \t*") {
	case "User", "USER", "user", "Human", "HUMAN", "human":
		s.dialogue = s.dialogue || s.hasBefore(start)
	case "Assistant", "ASSISTANT", "assistant", "AI":
		return s.dialogue
	}
	return false
}

// endReply ends the reply at p: what follows was invented.
func (s *Scanner) endReply(p int, why dropReason) bool {
	if s.marker.pending {
		s.usedMarker(p)
	}
	s.settleGroup()
	s.prefix = -1
	s.add(pieceText, p, dropNone)
	s.endAt(p, why)
	s.pos = len(s.text)
	return false
}

// endAt ends the reply at p for the reason why: what follows counts as nothing.
func (s *Scanner) endAt(p int, why dropReason) {
	s.state, s.over, s.overAt = stOver, why, p
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
