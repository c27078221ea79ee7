package permission

import (
	"strings"

	"github.com/localagent/localagent/tools"
	"mvdan.cc/sh/v3/syntax"
)

// readers are the builtins by which a shell reads words from a file or a stream.
var readers = []string{"read", "mapfile", "readarray"}

// maxPassed is how many texts are looked at that may become words; if there are
// more, they may be any.
const maxPassed = 1024

// prints notes what is written to a stream. Its lines are names only if something
// in the line takes words from a stream, which may stand further on. Of the value
// of a variable nothing is to be said: it is held where it is set.
func (s *shell) prints(words []word) {
	for _, w := range words {
		switch {
		case s.guess || len(s.printed) > maxPassed:
		case w.kind == fixed || w.inBash != "":
			s.printed = appendFixed(s.printed, strings.Split(w.said(), "\n"))
			if strings.Contains(w.said(), `\`) { // printf and echo may read it
				s.printed = append(s.printed, escaped(w.said())...)
			}
		case w.kind == globbed:
			s.printed = append(s.printed, w)
		}
	}
}

// escaped are the lines of a text once escapes in it are read.
func escaped(text string) []word {
	read, ok := ansiText(text)
	if !ok || strings.Contains(text, `\0`) { // echo takes more digits there
		return []word{unread(text)}
	}
	return appendFixed(nil, strings.Split(read, "\n"))
}

// keeps notes the value of a variable, which is several words where it is split.
func (s *shell) keeps(value *syntax.Word) {
	for _, w := range s.read(value) {
		if !s.guess && (w.kind == fixed || w.inBash != "") && len(s.kept) <= maxPassed {
			s.kept = appendFixed(s.kept, strings.Fields(w.said()))
		}
	}
}

// passOn notes that what is printed or kept becomes words of commands.
func (s *shell) passOn() {
	var texts []word
	if s.flows {
		texts = s.printed
	}
	if s.flows || s.splits {
		texts = append(texts, s.kept...)
	}
	if len(texts) > maxPassed {
		texts = []word{unread("what the line prints or keeps")}
	}
	s.guess = false
	for _, w := range texts {
		s.mention(w, tools.Read, maybe)
		s.mention(w, tools.Write, maybe)
	}
}

// appendFixed appends those of the texts that are not empty as words.
func appendFixed(words []word, texts []string) []word {
	for _, t := range texts {
		if t != "" {
			words = append(words, fixedWord(t))
		}
	}
	return words
}

// unread is a word that cannot be told.
func unread(text string) word {
	return word{text: text, kind: open, shape: shape(nil).add(oneChar, anyText)}
}
