package permission

import (
	"cmp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A word is one word of a command as its program gets it.
type word struct {
	text   string // without quotes; as written when it is not fixed
	kind   wordKind
	shape  shape  // what it can become when it is not fixed
	splits bool   // it can become several words of any text
	danger string // why no * of a rule may stand for it

	choices []word // what braces may make of it
	inBash  string // what bash makes of it, where other shells know not all of its quotes
}

type wordKind uint8

const (
	fixed   wordKind = iota
	globbed          // the names of files
	open             // an expansion decides, also about the number of words
)

// is says whether the word is surely one of these.
func (w word) is(texts ...string) bool {
	return w.kind == fixed && slices.Contains(texts, w.text)
}

// part is a text that stands in the word, known as well as the word is.
func (w word) part(text string) word {
	p := word{text: text, kind: w.kind}
	if w.inBash != "" {
		p.inBash = text
	}
	return p
}

// said is the text of the word as far as quotes go.
func (w word) said() string { return cmp.Or(w.inBash, w.text) }

// option says whether the word can be an option: it begins with a dash, or with
// what is not known, or becomes several words.
func (w word) option() bool {
	if w.kind == fixed {
		return len(w.text) > 1 && w.text[0] == '-'
	}
	return w.splits || len(w.shape) == 0 || w.shape[0].gap != none || w.shape[0].char == '-'
}

// single says whether the word stays one.
func (w word) single() bool {
	return !w.splits && len(w.choices) == 0 && !slices.ContainsFunc(w.shape, func(p piece) bool {
		return p.gap != none && p.gap != anyText
	})
}

// mayBe says whether the word can become one of these.
func (w word) mayBe(texts ...string) bool {
	return w.is(texts...) || w.kind != fixed && slices.ContainsFunc(texts, func(t string) bool {
		return w.splits || meet(shape(nil).text(t), w.shape)
	})
}

func fixedWord(text string) word { return word{text: text} }

// openWord is a word of which nothing is known.
func openWord(text string) word {
	return word{text: text, kind: open, shape: shape(nil).add(anyText), splits: true}
}

// readWord reads a word; src is the line it stands in.
func readWord(w *syntax.Word, src string) word {
	split := *w
	syntax.SplitBraces(&split)
	read := spell(split.Parts, source(src, w))
	if slices.ContainsFunc(split.Parts, isBrace) {
		read.choices = choices(split.Parts, read.text)
		read.splits = slices.ContainsFunc(read.choices, func(w word) bool { return w.splits })
	}
	return read
}

// spell reads the parts of a word; written is what it is called if it is not
// fixed.
func spell(parts []syntax.WordPart, written string) word {
	var s speller
	for _, part := range parts {
		s.part(part)
	}
	if s.kind == fixed {
		return fixedWord(s.text.String())
	}
	s.flush()
	read := word{text: written, kind: s.kind, shape: s.shape, splits: s.splits}
	if s.kind == open && !slices.ContainsFunc(s.shape, func(p piece) bool { return p.gap != none }) {
		read.inBash = s.text.String()
	}
	return read
}

// maxChoices is how many words are made of one with braces.
const maxChoices = 64

// choices are the words that braces make of one. If they are too many, there is
// one that may be any name.
func choices(parts []syntax.WordPart, written string) []word {
	var done []word
	for todo := [][]syntax.WordPart{parts}; len(todo) > 0; todo = todo[1:] {
		parts := todo[0]
		i := slices.IndexFunc(parts, isBrace)
		switch {
		case len(done)+len(todo) > maxChoices:
			return []word{{text: written, kind: open, shape: contents(".")}}
		case i < 0:
			done = append(done, spell(parts, written))
			continue
		}
		for _, elem := range parts[i].(*syntax.BraceExp).Elems {
			todo = append(todo, slices.Concat(parts[:i], elem.Parts, parts[i+1:]))
		}
	}
	return done
}

// isBrace says whether a part is a list in braces; a sequence stands for words
// that no rule names.
func isBrace(p syntax.WordPart) bool {
	b, ok := p.(*syntax.BraceExp)
	return ok && !b.Sequence
}

// A speller takes the quotes off a word. Only the ways of quoting that all
// shells know keep a word fixed.
type speller struct {
	text  strings.Builder // all of the word
	run   strings.Builder // the fixed text since the last gap
	shape shape
	kind  wordKind

	splits bool
}

func (s *speller) put(t string) {
	s.text.WriteString(t)
	s.run.WriteString(t)
}

func (s *speller) flush() {
	s.shape = s.shape.text(s.run.String())
	s.run.Reset()
}

// expands notes a place where something of that kind is filled in.
func (s *speller) expands(k wordKind, g gap) {
	s.flush()
	s.kind = max(s.kind, k)
	s.shape = s.shape.add(g)
}

// unread notes text that cannot be told. Unlike the value of a variable, which
// stands where it is set, it stands nowhere else in the line: so it is held
// against every rule.
func (s *speller) unread() {
	s.expands(open, optional)
	s.shape = s.shape.add(oneChar, anyText)
}

func (s *speller) part(part syntax.WordPart) {
	switch part := part.(type) {
	case *syntax.Lit:
		s.bare(part.Value)
	case *syntax.SglQuoted:
		text := part.Value
		if part.Dollar {
			s.kind = open // to some shells the $ is a part of it
			var ok bool
			if text, ok = ansiText(text); !ok {
				s.unread()
				return
			}
		}
		s.put(text)
	case *syntax.DblQuoted:
		if part.Dollar {
			s.kind = open
		}
		for _, inner := range part.Parts {
			if lit, ok := inner.(*syntax.Lit); ok {
				s.put(unescape(lit.Value, escapable))
				continue
			}
			s.expands(open, anyText)
			p, ok := inner.(*syntax.ParamExp)
			s.splits = s.splits || ok && (!plainParam(p) || p.Param.Value == "@")
		}
	case *syntax.ArithmExp:
		s.expands(open, anyText)
	case *syntax.BraceExp:
		if part.Sequence {
			s.expands(open, anyName)
		} else {
			s.expands(open, anyText)
		}
	case *syntax.ExtGlob:
		s.unread()
		s.splits = true
	default:
		s.expands(open, anyText)
		s.splits = true
	}
}

// bare reads text that stands in no quotes.
func (s *speller) bare(t string) {
	for t != "" {
		i := strings.IndexAny(t, `\*?[`)
		if i < 0 {
			s.put(t)
			return
		}
		s.put(t[:i])
		t = t[i:]
		n := 1
		switch end := strings.IndexByte(t, ']'); {
		case t[0] == '\\':
			n = min(2, len(t))
			s.put(strings.TrimPrefix(t[1:n], "\n"))
		case t[0] == '*':
			s.flush()
			s.kind = max(s.kind, globbed)
			s.shape = s.shape.star()
		case t[0] == '[' && end < 0:
			s.put("[")
		case t[0] == '[':
			n = end + 1
			fallthrough
		default:
			s.expands(globbed, oneChar)
		}
		t = t[n:]
	}
}

// unescape takes the backslash off the characters of which it takes the meaning.
func unescape(t, special string) string {
	if !strings.Contains(t, `\`) {
		return t
	}
	var b strings.Builder
	for i := 0; i < len(t); i++ {
		if t[i] == '\\' && i+1 < len(t) {
			if t[i+1] == '\n' {
				i++
				continue
			}
			if strings.IndexByte(special, t[i+1]) >= 0 {
				i++
			}
		}
		b.WriteByte(t[i])
	}
	return b.String()
}

// source is the text of a node as written.
func source(src string, n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from >= to || to > len(src) {
		return "…"
	}
	return src[from:to]
}
