package main

import (
	"strings"
	"unicode"
)

// wide are the ranges of runes that take two columns: East Asian Wide and
// Fullwidth of Unicode's EastAsianWidth.txt, merged to blocks, and the emoji
// that terminals draw wide.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x1100, Hi: 0x115f, Stride: 1}, // Hangul Jamo
		{Lo: 0x231a, Hi: 0x231b, Stride: 1},
		{Lo: 0x2329, Hi: 0x232a, Stride: 1},
		{Lo: 0x23e9, Hi: 0x23ec, Stride: 1},
		{Lo: 0x23f0, Hi: 0x23f3, Stride: 3},
		{Lo: 0x25fd, Hi: 0x25fe, Stride: 1},
		{Lo: 0x2614, Hi: 0x2615, Stride: 1},
		{Lo: 0x2648, Hi: 0x2653, Stride: 1},
		{Lo: 0x267f, Hi: 0x2693, Stride: 20},
		{Lo: 0x26a1, Hi: 0x26a1, Stride: 1},
		{Lo: 0x26aa, Hi: 0x26ab, Stride: 1},
		{Lo: 0x26bd, Hi: 0x26be, Stride: 1},
		{Lo: 0x26c4, Hi: 0x26c5, Stride: 1},
		{Lo: 0x26ce, Hi: 0x26d4, Stride: 6},
		{Lo: 0x26ea, Hi: 0x26ea, Stride: 1},
		{Lo: 0x26f2, Hi: 0x26f3, Stride: 1},
		{Lo: 0x26f5, Hi: 0x26fa, Stride: 5},
		{Lo: 0x26fd, Hi: 0x2705, Stride: 8},
		{Lo: 0x270a, Hi: 0x270b, Stride: 1},
		{Lo: 0x2728, Hi: 0x274c, Stride: 36},
		{Lo: 0x274e, Hi: 0x274e, Stride: 1},
		{Lo: 0x2753, Hi: 0x2755, Stride: 1},
		{Lo: 0x2757, Hi: 0x2757, Stride: 1},
		{Lo: 0x2795, Hi: 0x2797, Stride: 1},
		{Lo: 0x27b0, Hi: 0x27bf, Stride: 15},
		{Lo: 0x2b1b, Hi: 0x2b1c, Stride: 1},
		{Lo: 0x2b50, Hi: 0x2b55, Stride: 5},
		{Lo: 0x2e80, Hi: 0x303e, Stride: 1}, // CJK radicals, punctuation
		{Lo: 0x3041, Hi: 0x33ff, Stride: 1}, // kana, compatibility
		{Lo: 0x3400, Hi: 0x4dbf, Stride: 1},
		{Lo: 0x4e00, Hi: 0xa4cf, Stride: 1}, // ideographs, Yi
		{Lo: 0xa960, Hi: 0xa97c, Stride: 1},
		{Lo: 0xac00, Hi: 0xd7a3, Stride: 1}, // Hangul
		{Lo: 0xf900, Hi: 0xfaff, Stride: 1},
		{Lo: 0xfe10, Hi: 0xfe19, Stride: 1},
		{Lo: 0xfe30, Hi: 0xfe6b, Stride: 1},
		{Lo: 0xff01, Hi: 0xff60, Stride: 1}, // full-width forms
		{Lo: 0xffe0, Hi: 0xffe6, Stride: 1},
	},
	R32: []unicode.Range32{
		{Lo: 0x16fe0, Hi: 0x18cff, Stride: 1},
		{Lo: 0x1aff0, Hi: 0x1b2ff, Stride: 1},
		{Lo: 0x1f004, Hi: 0x1f0cf, Stride: 203},
		{Lo: 0x1f18e, Hi: 0x1f18e, Stride: 1},
		{Lo: 0x1f191, Hi: 0x1f19a, Stride: 1},
		{Lo: 0x1f200, Hi: 0x1f320, Stride: 1},
		{Lo: 0x1f32d, Hi: 0x1f335, Stride: 1},
		{Lo: 0x1f337, Hi: 0x1f37c, Stride: 1},
		{Lo: 0x1f37e, Hi: 0x1f393, Stride: 1},
		{Lo: 0x1f3a0, Hi: 0x1f3ca, Stride: 1},
		{Lo: 0x1f3cf, Hi: 0x1f3d3, Stride: 1},
		{Lo: 0x1f3e0, Hi: 0x1f3f0, Stride: 1},
		{Lo: 0x1f3f4, Hi: 0x1f3f4, Stride: 1},
		{Lo: 0x1f3f8, Hi: 0x1f43e, Stride: 1},
		{Lo: 0x1f440, Hi: 0x1f440, Stride: 1},
		{Lo: 0x1f442, Hi: 0x1f4fc, Stride: 1},
		{Lo: 0x1f4ff, Hi: 0x1f53d, Stride: 1},
		{Lo: 0x1f54b, Hi: 0x1f54e, Stride: 1},
		{Lo: 0x1f550, Hi: 0x1f567, Stride: 1},
		{Lo: 0x1f57a, Hi: 0x1f57a, Stride: 1},
		{Lo: 0x1f595, Hi: 0x1f596, Stride: 1},
		{Lo: 0x1f5a4, Hi: 0x1f5a4, Stride: 1},
		{Lo: 0x1f5fb, Hi: 0x1f64f, Stride: 1},
		{Lo: 0x1f680, Hi: 0x1f6c5, Stride: 1},
		{Lo: 0x1f6cc, Hi: 0x1f6d7, Stride: 1},
		{Lo: 0x1f6dc, Hi: 0x1f6df, Stride: 1},
		{Lo: 0x1f6eb, Hi: 0x1f6ec, Stride: 1},
		{Lo: 0x1f6f4, Hi: 0x1f6fc, Stride: 1},
		{Lo: 0x1f7e0, Hi: 0x1f7f0, Stride: 1},
		{Lo: 0x1f90c, Hi: 0x1f9ff, Stride: 1},
		{Lo: 0x1fa70, Hi: 0x1faff, Stride: 1},
		{Lo: 0x20000, Hi: 0x3fffd, Stride: 1},
	},
}

const (
	joiner        = '\u200d' // glues two emoji to one
	emojiSelector = '\ufe0f' // asks for the wide picture of a character
)

// A ruler measures text rune by rune in terminal columns.
type ruler struct {
	prev  rune // the rune before
	width int  // columns of prev's character
}

// add is the number of columns that r adds after the runes before it.
func (u *ruler) add(r rune) int {
	n := u.columns(r)
	u.prev = r
	if n > 0 {
		u.width = n
	}
	return n
}

func (u *ruler) columns(r rune) int {
	switch {
	case r == emojiSelector && u.width == 1:
		u.width = 2
		return 1
	case r == 0 || unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf), r < ' ':
		return 0
	case u.prev == joiner && u.width > 0:
		return 0
	case 0x1f3fb <= r && r <= 0x1f3ff && u.width == 2: // skin tone
		return 0
	case r >= 0x1100 && unicode.Is(wide, r):
		return 2
	}
	return 1 // a flag is two regional indicators of one column each
}

// textWidth is the number of columns of s, which has no line breaks.
func textWidth(s string) int {
	var u ruler
	n := 0
	for _, r := range s {
		n += u.add(r)
	}
	return n
}

// cutWidth is s if it fits in max columns, else its beginning and an ellipsis.
func cutWidth(s string, max int) string {
	if len(s) <= max || textWidth(s) <= max {
		return s
	}
	var u ruler
	n, end := 0, 0
	for i, r := range s {
		w := u.add(r)
		if w > 0 && n <= max-1 {
			end = i // a character begins here, and what stands before fits
		}
		if n += w; n > max-1 {
			break
		}
	}
	return strings.TrimRight(s[:end], " ") + "…"
}
