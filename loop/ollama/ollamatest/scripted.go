package ollamatest

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// A Scripted is a tiny language model that a real server loads like any other
// and that writes exact replies: the first to the first request of a
// conversation, the second to the next, the last to all that follow.
//
// It is a llama whose layers add nothing, so that the next token depends on the
// last one alone. Its vocabulary is the 256 bytes, pairs of letters and of
// digits, which make a token of prose about two bytes long, and each piece of
// each reply as a token of its own. The prompt template ends with a byte that
// stands for the reply to write, chosen by the number of messages; that byte
// leads to the first piece, each piece to the next, and the last to the end
// token.
//
// The sampler stays the server's own. Where "format" forbids the next piece,
// any token that it allows is as likely as another, until a piece of the script
// fits again.
type Scripted struct {
	Replies []string
	Endless bool // the last reply begins anew instead of ending
	Context int  // tokens that the model says it was trained for; 0: 32768
}

const (
	endToken     = 256 // after the bytes
	startToken   = 257
	firstPair    = 258
	pieceBytes   = 8 // of a piece, at least
	maxScripts   = 57
	defaultTrain = 32768
)

// startRune stands for a reply at the end of a prompt: a control character, whose
// last byte is a token. Text has none of them, but for the line breaks.
func startRune(reply int) rune {
	const controls = "\x01\x02\x03\x04\x05\x06\x07\x08\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1c\x1d\x1e\x1f"
	if reply < len(controls) {
		return rune(controls[reply])
	}
	return rune(0x80 + reply - len(controls)) // up to U+009F
}

// startOf is the token that leads to the first piece of a reply.
func startOf(reply int) int {
	text := string(startRune(reply))
	return int(text[len(text)-1])
}

// Template is the prompt template. A turn is a line of role and text; each
// request of a conversation has two messages more than the one before.
func (s Scripted) Template() string {
	var b strings.Builder
	b.WriteString("{{ range .Messages }}{{ .Role }}: {{ .Content }}\n{{ end }}")
	for i := len(s.Replies) - 1; i > 0; i-- {
		fmt.Fprintf(&b, `{{ if gt (len .Messages) %d }}{{ %q }}{{ else }}`, 2*i, string(startRune(i)))
	}
	fmt.Fprintf(&b, `{{ %q }}`, string(startRune(0)))
	b.WriteString(strings.Repeat("{{ end }}", len(s.Replies)-1))
	return b.String()
}

// Modelfile is what `ollama create` reads, the model standing in the file gguf.
// The model runs on one thread: several wait for each other by spinning, which
// takes minutes where other tests want the processors too.
func (s Scripted) Modelfile(gguf string) string {
	return fmt.Sprintf("FROM %s\nTEMPLATE \"\"\"%s\"\"\"\nPARAMETER num_thread 1\n", gguf, s.Template())
}

// pairs are the tokens of two bytes.
func pairs() []string {
	const small, digits = "abcdefghijklmnopqrstuvwxyz", "0123456789"
	var all []string
	for _, set := range [][2]string{{small, small}, {" ", small}, {digits, digits}} {
		for _, a := range set[0] {
			for _, b := range set[1] {
				all = append(all, string(a)+string(b))
			}
		}
	}
	return all
}

// A chain is the scripts as states: each has a token that leads into it and one
// that follows.
type chain struct {
	pairs  []string    // the vocabulary after the bytes and the two special tokens
	pieces []string    // and after that
	state  map[int]int // of a token; state 0 is that of all others, and ends
	next   []int       // token of a state
}

// firstPiece is the token of the first piece.
func (c *chain) firstPiece() int { return firstPair + len(c.pairs) }

// size is the number of tokens.
func (c *chain) size() int { return c.firstPiece() + len(c.pieces) }

func (s Scripted) chain() (chain, error) {
	if len(s.Replies) == 0 || len(s.Replies) > maxScripts {
		return chain{}, fmt.Errorf("ollamatest: %d replies, expecting 1 to %d", len(s.Replies), maxScripts)
	}
	c := chain{pairs: pairs(), state: map[int]int{}, next: []int{endToken}}
	used := map[string]bool{}
	for _, p := range c.pairs {
		used[p] = true
	}
	for i, reply := range s.Replies {
		pieces, err := cut(reply, used)
		if err != nil {
			return chain{}, fmt.Errorf("ollamatest: reply %d: %w", i, err)
		}
		first, from := c.size(), startOf(i)
		for _, p := range pieces {
			token := c.size()
			c.pieces = append(c.pieces, p)
			c.lead(from, token)
			from = token
		}
		if s.Endless && i == len(s.Replies)-1 {
			c.lead(from, first)
		} else {
			c.lead(from, endToken)
		}
	}
	return c, nil
}

// lead makes one token follow another.
func (c *chain) lead(from, to int) {
	c.state[from] = len(c.next)
	c.next = append(c.next, to)
}

// cut cuts a reply into pieces of a few bytes and whole runes. No two tokens of
// a vocabulary may be the same text, so a piece that is taken becomes longer, and
// the rest of a reply joins the pieces before it.
func cut(reply string, used map[string]bool) ([]string, error) {
	var pieces []string
	taken := func(piece string) bool { return len(piece) == 1 || used[piece] }
	for start, end := 0, 0; start < len(reply); start = end {
		end = start
		for end < len(reply) && (end-start < pieceBytes || taken(reply[start:end])) {
			_, size := utf8.DecodeRuneInString(reply[end:])
			end += size
		}
		for taken(reply[start:end]) && len(pieces) > 0 {
			last := pieces[len(pieces)-1]
			pieces = pieces[:len(pieces)-1]
			delete(used, last)
			start -= len(last)
		}
		piece := reply[start:end]
		if taken(piece) {
			return nil, errors.New("it cannot be cut into pieces that differ")
		}
		used[piece] = true
		pieces = append(pieces, piece)
	}
	return pieces, nil
}
