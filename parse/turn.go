package parse

import "strings"

// turnWords begin a turn of somebody else, or a result, where a line begins with
// one directly behind a call. Anywhere else they are words of an answer.
var turnWords = []struct {
	text string
	why  dropReason
}{
	{"USER:", dropTurn}, {"User:", dropTurn}, {"user:", dropTurn}, {"user\n", dropTurn}, {"**User:**", dropTurn}, {"### User:", dropTurn},
	{"HUMAN:", dropTurn}, {"Human:", dropTurn}, {"human:", dropTurn}, {"human\n", dropTurn}, {"**Human:**", dropTurn}, {"<human>:", dropTurn},
	{"SYSTEM:", dropTurn}, {"System:", dropTurn}, {"system\n", dropTurn}, {"ipython\n", dropTurn}, {"tool\n", dropTurn},
	{"### Instruction:", dropTurn}, {"### Human:", dropTurn}, // Alpaca, Vicuna
	{"GPT4 Correct User:", dropTurn}, // OpenChat, Starling
	{"OBSERVATION:", dropResult}, {"observation:", dropResult}, {"**Observation:**", dropResult},
	{"TOOL:", dropResult}, {"Tool:", dropResult}, {"Tool Response:", dropResult}, {"Tool output:", dropResult}, {"Tool Output:", dropResult},
	{"Tool results:", dropResult}, {"Tool Results:", dropResult},
	{"FUNCTION RESPONSE:", dropResult}, {"Function response:", dropResult}, {"Function Response:", dropResult}, // Glaive
}

// lexTurn reads the turn word that line begins with, and says why it ends the
// reply.
func lexTurn(line string, eof bool) (why dropReason, ok tri) {
	for i := range turnWords {
		switch w := &turnWords[i]; {
		case line != "" && w.text[0] != line[0]:
		case strings.HasPrefix(line, w.text):
			return w.why, yes
		case !eof && strings.HasPrefix(w.text, line):
			ok = maybe
		}
	}
	return dropNone, ok
}

// role reads a token that begins a turn, and whose it is.
func (s *Scanner) role(p, end int, t tag) bool {
	if strings.EqualFold(t.name, "start") && t.bars {
		s.header(p, named{})
		return true
	}
	q := end
	for q < len(s.text) && q < end+16 && (isLetter(s.text[q]) || q == end && s.text[q] == ' ') {
		q++
	}
	if q == len(s.text) && !s.eof {
		return false
	}
	switch strings.ToLower(strings.TrimSpace(s.text[end:q])) {
	case "user", "human", "system", "tool", "ipython", "observation", "function", "environment":
		return s.endReply(p, dropTurn)
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
