package permission

import (
	"fmt"
	"path"
	"strings"
)

// A pattern is the words of a rule about commands.
type pattern []patternWord

// A patternWord stands for one word, or with rest for any number of them.
type patternWord struct {
	rest  bool
	parts []string // the texts between its stars
}

// readPattern reads the pattern of a rule, written as the command is: quotes and
// backslashes take the meaning of what they hold, of stars too.
func readPattern(s string) (pattern, error) {
	var p pattern
	for rest := strings.TrimLeft(s, blanks); rest != ""; rest = strings.TrimLeft(rest, blanks) {
		if rest[0] == '#' {
			return nil, fmt.Errorf("%q has a comment in it; put # in quotes if it is meant", s)
		}
		w, n, err := readPatternWord(rest)
		if err != nil {
			return nil, fmt.Errorf("%q is not the words of one command: %w", s, err)
		}
		p = append(p, w)
		rest = rest[n:]
	}
	if len(p) == 0 {
		return nil, fmt.Errorf("%q holds no words", s)
	}
	return p, nil
}

const blanks = " \t\n"

// readPatternWord reads the word that s begins with, n bytes of it.
func readPatternWord(s string) (w patternWord, n int, err error) {
	var text strings.Builder
	end := func() { w.parts = append(w.parts, text.String()); text.Reset() }
	quote := byte(0)
	for ; n < len(s) && (quote != 0 || strings.IndexByte(blanks, s[n]) < 0); n++ {
		switch c := s[n]; {
		case c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case c == '\\' && quote != '\'' && n+1 < len(s) && (quote == 0 || strings.IndexByte(escapable, s[n+1]) >= 0):
			n++
			text.WriteByte(s[n])
		case quote == 0 && c == '*':
			end()
		case quote != '\'' && (c == '$' || c == '`'), quote == 0 && strings.IndexByte(operators, c) >= 0:
			return w, n, fmt.Errorf("%c has a meaning of its own; put it in single quotes if it is meant", c)
		default:
			text.WriteByte(c)
		}
	}
	if quote != 0 {
		return w, n, fmt.Errorf("%c is not closed", quote)
	}
	end()
	w.rest = s[:n] == "*"
	return w, n, nil
}

const (
	escapable = "$`\"\\" // in double quotes
	operators = ";|&<>()"
)

// match says whether the words match. With grant, in the sense of an allow rule:
// word for word; a word that is not fixed only by a *, a word of danger by no *.
// Without, in the sense of a deny rule: the command may go on, the folder and the
// letter case of its program count for nothing, and a word that is not fixed may
// be anything it can become.
func (p pattern) match(words []word, grant bool) level {
	if !grant && len(p) > 0 && len(words) > 0 {
		p = append(p[:len(p):len(p)], patternWord{rest: true})
		words = append([]word{program(words[0], p[0])}, words[1:]...)
		p[0] = p[0].lower()
	}
	// best[j] is how well p[i:] matches words[j:], from the last i down.
	best := make([]level, len(words)+1)
	for i := len(p); i >= 0; i-- {
		next := best
		best = make([]level, len(words)+1)
		for j := len(words); j >= 0; j-- {
			best[j] = p.cell(i, j, words, grant, best, next)
		}
	}
	return best[0]
}

// cell is how well p[i:] matches words[j:]; row knows it of words[j+1:], and
// next of p[i+1:].
func (p pattern) cell(i, j int, words []word, grant bool, row, next []level) level {
	if i == len(p) && j == len(words) {
		return yes
	}
	l := no
	if i < len(p) && p[i].rest {
		l = next[j]
	}
	if j == len(words) {
		return l
	}
	w := words[j]
	if i < len(p) && p[i].rest {
		if grant && w.danger != "" {
			return l
		}
		return max(l, row[j+1])
	}
	if w.kind == open && !grant {
		l = min(maybe, row[j+1]) // it may become nothing
	}
	if i == len(p) {
		return l
	}
	if w.kind != fixed {
		if grant || !p[i].mayBe(w) {
			return l
		}
		return max(l, min(maybe, max(next[j+1], next[j])))
	}
	if p[i].is(w.text) {
		l = max(l, next[j+1])
	}
	return l
}

// program is the name of a command as deny rules see it: /bin/RM is rm, unless
// the rule itself names a folder.
func program(w word, p patternWord) word {
	w.text = strings.ToLower(w.text)
	switch {
	case strings.Contains(strings.Join(p.parts, ""), "/"):
	case w.kind == fixed:
		w.text = path.Base(w.text)
	default:
		w.shape = w.shape.base()
	}
	return w
}

// lower is the pattern in lower case.
func (p patternWord) lower() patternWord {
	parts := make([]string, len(p.parts))
	for i, part := range p.parts {
		parts[i] = strings.ToLower(part)
	}
	p.parts = parts
	return p
}

// is says whether the word matches this text.
func (p patternWord) is(text string) bool {
	first, last := p.parts[0], p.parts[len(p.parts)-1]
	if len(p.parts) == 1 {
		return text == first
	}
	if len(text) < len(first)+len(last) || !strings.HasPrefix(text, first) || !strings.HasSuffix(text, last) {
		return false
	}
	text = text[len(first) : len(text)-len(last)]
	for _, part := range p.parts[1 : len(p.parts)-1] {
		i := strings.Index(text, part)
		if i < 0 {
			return false
		}
		text = text[i+len(part):]
	}
	return true
}

// mayBe says whether a word that is not fixed can become one that matches.
func (p patternWord) mayBe(w word) bool {
	var s shape
	for i, part := range p.parts {
		if i > 0 {
			s = s.add(anyText)
		}
		s = s.text(part)
	}
	return meet(s, w.shape)
}
