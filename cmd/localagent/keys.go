package main

import (
	"strings"
	"unicode/utf8"
)

// A key is a press of a key, or text that was pasted.
type key struct {
	kind keyKind
	text string // of keyText and keyPaste
}

type keyKind uint8

const (
	keyNone    keyKind = iota // a sequence that means nothing here
	keyText                   // a character
	keyPaste                  // pasted text, line breaks and all
	keyEnter                  // ends the input; typed ahead it comes as LF
	keyNewline                // Alt-Enter: a line break inside it
	keyTab
	keyBackspace
	keyDelete
	keyLeft
	keyRight
	keyUp
	keyDown
	keyHome
	keyEnd
	keyWordLeft
	keyWordRight
	keyKillEnd   // Ctrl-K
	keyKillStart // Ctrl-U
	keyKillWord  // Ctrl-W
	keyYank      // Ctrl-Y
	keyClear     // Ctrl-L
	keyInterrupt // Ctrl-C
	keyEOF       // Ctrl-D
	keySuspend   // Ctrl-Z
)

// controls are the keys of one byte.
var controls = map[byte]keyKind{
	0x01: keyHome, 0x02: keyLeft, 0x03: keyInterrupt, 0x04: keyEOF, 0x05: keyEnd, 0x06: keyRight,
	0x08: keyBackspace, 0x09: keyTab, 0x0a: keyEnter, 0x0b: keyKillEnd, 0x0c: keyClear, 0x0d: keyEnter,
	0x0e: keyDown, 0x10: keyUp, 0x15: keyKillStart, 0x17: keyKillWord, 0x19: keyYank, 0x1a: keySuspend,
	0x7f: keyBackspace,
}

// sequences are the keys that send an escape sequence, without the ESC. A
// modifier in the middle (as in "[1;5C") is looked up with the rest.
var sequences = map[string]keyKind{
	"[A": keyUp, "[B": keyDown, "[C": keyRight, "[D": keyLeft, "[H": keyHome, "[F": keyEnd,
	"OA": keyUp, "OB": keyDown, "OC": keyRight, "OD": keyLeft, "OH": keyHome, "OF": keyEnd,
	"[1~": keyHome, "[7~": keyHome, "[4~": keyEnd, "[8~": keyEnd, "[3~": keyDelete,
	"[1;5C": keyWordRight, "[1;3C": keyWordRight, "[1;5D": keyWordLeft, "[1;3D": keyWordLeft,
	"f": keyWordRight, "b": keyWordLeft, "\r": keyNewline, "\n": keyNewline,
	"\x7f": keyKillWord, "[13;2u": keyNewline,
}

const (
	pasteStart = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// nextKey reads one key from the front of b and says how many bytes it took: 0
// when the rest of it has still to come.
func nextKey(b []byte) (key, int) {
	if len(b) == 0 {
		return key{}, 0
	}
	if b[0] == 0x1b {
		return nextSequence(b)
	}
	if kind, ok := controls[b[0]]; ok {
		return key{kind: kind}, 1
	}
	if b[0] < ' ' {
		return key{}, 1
	}
	if !utf8.FullRune(b) {
		return key{}, 0
	}
	r, n := utf8.DecodeRune(b)
	if r == utf8.RuneError && n == 1 || cleanRune(r) != r {
		return key{}, n
	}
	return key{kind: keyText, text: string(r)}, n
}

// nextSequence reads a key that begins with ESC.
func nextSequence(b []byte) (key, int) {
	s := string(b)
	if strings.HasPrefix(s, pasteStart) {
		end := strings.Index(s, pasteEnd)
		if end < 0 {
			return key{}, 0
		}
		return key{keyPaste, pasted(s[len(pasteStart):end])}, end + len(pasteEnd)
	}
	n := sequenceLen(b)
	if n == 0 {
		return key{}, 0
	}
	return key{kind: sequences[s[1:n]]}, n
}

// sequenceLen is the length of the escape sequence at the front of b, 0 when it
// is not complete: ESC [ parameters final, ESC O letter, or ESC and a character.
func sequenceLen(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '[':
		for i := 2; i < len(b); i++ {
			if 0x40 <= b[i] && b[i] <= 0x7e {
				return i + 1
			}
		}
		return 0
	case 'O':
		if len(b) < 3 {
			return 0
		}
		return 3
	}
	return 2
}

// pasted is text as terminals paste it: their line breaks are CR.
func pasted(s string) string {
	return clean(strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n"))
}
