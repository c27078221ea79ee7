package loop

import "unicode/utf8"

const (
	// bytesPerToken is where the estimate starts for text in alphabets. Four
	// characters a token, as is often used, is too high for code and far too
	// high for Chinese, where a rune is about one token.
	bytesPerToken = 3.5

	// messageTokens is what a chat template adds around a message.
	messageTokens = 4
)

// The estimate trusts a count of the server only so far: template and
// vocabulary explain no larger factor.
const minScale, maxScale = 0.4, 3.0

// An estimator guesses how many tokens a text has. Its guess is scaled by what
// the server counted for earlier prompts.
type estimator struct {
	scale float64 // tokens counted for each token guessed; 0: not known, 1
}

// text guesses the tokens of a text.
func (e *estimator) text(s string) int { return e.scaled(guess(s)) }

// messages guesses the tokens of a prompt.
func (e *estimator) messages(ms []Message) int { return e.scaled(guessMessages(ms)) }

func (e *estimator) scaled(tokens float64) int {
	if e.scale != 0 {
		tokens *= e.scale
	}
	return int(tokens + 0.5)
}

// bytes is how many bytes of plain text a number of tokens is.
func (e *estimator) bytes(tokens int) int {
	n := float64(tokens) * bytesPerToken
	if e.scale != 0 {
		n /= e.scale
	}
	return int(n)
}

// learn takes the server's count of a prompt into account.
func (e *estimator) learn(ms []Message, counted int) {
	if g := guessMessages(ms); counted > 0 && g > 0 {
		e.scale = min(max(float64(counted)/g, minScale), maxScale)
	}
}

func guessMessages(ms []Message) float64 {
	var tokens float64
	for _, m := range ms {
		tokens += messageTokens + guess(m.Content)
	}
	return tokens
}

// guess counts one token for a rune of a script without spaces between words,
// and bytes for the rest.
func guess(s string) float64 {
	wide, narrow := 0, 0
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			narrow++
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if isCJK(r) {
			wide++
		} else {
			narrow += n
		}
		i += n
	}
	return float64(wide) + float64(narrow)/bytesPerToken
}

func countRunes(s string) (wide, narrow int) {
	for _, r := range s {
		if isCJK(r) {
			wide++
		} else {
			narrow++
		}
	}
	return wide, narrow
}

// isCJK reports whether r is Chinese, Japanese or Korean: from the radicals to
// the compatibility forms, Hangul syllables, full-width forms and the
// supplementary ideographic planes.
func isCJK(r rune) bool {
	switch {
	case r >= 0x2E80 && r <= 0x9FFF, r >= 0xA000 && r <= 0xA4CF,
		r >= 0xAC00 && r <= 0xD7A3, r >= 0xF900 && r <= 0xFAFF,
		r >= 0xFE30 && r <= 0xFE4F, r >= 0xFF00 && r <= 0xFFEF,
		r >= 0x20000 && r <= 0x3FFFF:
		return true
	}
	return false
}

// leastTokens is the fewest tokens that a prompt can plausibly have: a token is
// seldom more than six characters, or two where a word has no spaces around it.
func leastTokens(ms []Message) int {
	var tokens float64
	for _, m := range ms {
		wide, narrow := countRunes(m.Content)
		tokens += float64(wide)/2 + float64(narrow)/6
	}
	return int(tokens)
}

// A promptCount is what is known of a prompt that was counted by the server.
type promptCount struct {
	counted int // 0: not known
	guess   int // estimated
	least   int // what it must have, see leastTokens
	grown   int // how much of guess is new since the count before
	before  int // the count before; 0: there was none
	window  int // the window it was asked with
}

// surelyGrown is how many tokens a prompt must have grown by estimate before a
// count that did not grow means anything.
const surelyGrown = 50

// cutSilently reports whether a server left out part of a prompt without a word:
// it counted less than there can have been, no more than before although more
// was sent, or exactly as much as can ever fit. Some servers count only what
// they had not cached, which is about as much as is new; that is no cut.
func (c promptCount) cutSilently() bool {
	switch {
	case c.counted <= 0:
		return false
	case c.window > 0 && c.counted >= c.window-1:
		return true
	case c.onlyNew():
		return false
	case c.stuck():
		return true
	}
	return c.counted < c.least
}

// stuck reports whether the count did not grow with the prompt.
func (c promptCount) stuck() bool {
	return c.before > 0 && c.grown > surelyGrown && c.counted <= c.before
}

// onlyNew reports whether the server seems to have counted no more than what is
// new.
func (c promptCount) onlyNew() bool {
	return c.before > 0 && c.grown > 0 && c.counted*2 <= c.grown*3
}
