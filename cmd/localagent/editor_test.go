package main

import (
	"slices"
	"strings"
	"testing"
)

// keys reads all keys of what a terminal sent.
func keys(t *testing.T, sent string) []key {
	t.Helper()
	var out []key
	for b := []byte(sent); len(b) > 0; {
		k, n := nextKey(b)
		if n == 0 {
			t.Fatalf("%q: the last key is not complete", sent)
		}
		out = append(out, k)
		b = b[n:]
	}
	return out
}

func TestEditor(t *testing.T) {
	const (
		left, right, up, down = "\x1b[D", "\x1b[C", "\x1b[A", "\x1b[B"
		home, end, del        = "\x1b[H", "\x1b[F", "\x1b[3~"
		wordLeft, wordRight   = "\x1bb", "\x1b[1;5C"
	)
	for _, c := range []struct {
		name string
		sent string
		want string // the text, | where the cursor is
		act  action // of the last key
	}{
		{"typing", "abc", "abc|", actNone},
		{"enter", "abc\r", "abc|", actDone},
		{"left and right", "abc" + left + left + right + "x", "abx|c", actNone},
		{"home and end", "abc" + home + "x" + end + "y", "xabcy|", actNone},
		{"control letters", "abc\x01x\x05y\x02\x06", "xabcy|", actNone},
		{"backspace", "abc\x7f", "ab|", actNone},
		{"backspace at the start", home + "\x7f", "|", actNone},
		{"delete", "abc" + home + del, "|bc", actNone},
		{"delete at the end", "abc" + del, "abc|", actNone},
		{"words", "one two, three" + wordLeft + wordLeft + "x", "one x|two, three", actNone},
		{"word right", "one two" + home + wordRight, "one| two", actNone},
		{"kill to the end, yank", "one two" + home + wordRight + "\x0b" + home + "\x19", " two|one", actNone},
		{"kill to the start", "one two" + wordLeft + "\x15", "|two", actNone},
		{"kill a word", "one two\x17", "one |", actNone},
		{"an accent belongs to its letter", "ae\u0301" + left + "x", "ax|e\u0301", actNone},
		{"an emoji with a skin tone is one", "👍🏽\x7f", "|", actNone},
		{"a joined emoji is one", "a👩\u200d👧" + left, "a|👩\u200d👧", actNone},
		{"eof on nothing", "\x04", "|", actEOF},
		{"eof deletes otherwise", "ab" + home + "\x04", "|b", actNone},
		{"interrupt", "ab\x03", "ab|", actInterrupt},
		{"a line break by hand", "a\x1b\rb", "a\nb|", actNone},
		{"a backslash goes on", "a\\\rb\r", "a\nb|", actDone},
		{"an open quote goes on", "\"\"\"a\rb\"\"\"\r", "\"\"\"a\nb\"\"\"|", actDone},
		{"pasted lines do not end it", "\x1b[200~a\rb\r\x1b[201~", "a\nb\n|", actNone},
		{"pasted escapes are harmless", "\x1b[200~a\x1b[31m\x1b[201~", "a␛[31m|", actNone},
		{"up and down between lines", "abc\x1b\rd" + up + "x" + down + "y", "axbc\ndy|", actNone},
		{"history", up, "second|", actNone},
		{"further back", up + up + up, "first|", actNone},
		{"and forth to what was typed", "new" + up + up + down + down, "new|", actNone},
		{"unknown sequences do nothing", "a\x1b[5~\x1bOPb", "ab|", actNone},
		{"suspend", "\x1a", "|", actSuspend},
		{"tab", "a\t", "a|", actComplete},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newEditor([]string{"first", "second"})
			act := actNone
			for _, k := range keys(t, c.sent) {
				act = e.press(k)
			}
			got := string(e.text[:e.cursor]) + "|" + string(e.text[e.cursor:])
			if got != c.want || act != c.act {
				t.Errorf("got %q, action %d; want %q, %d", got, act, c.want, c.act)
			}
		})
	}
}

// A key may come in pieces.
func TestNextKeyInPieces(t *testing.T) {
	for _, sent := range []string{"\x1b[A", "\x1bOH", "\x1b[1;5C", "é", "日", "👍", "\x1b[200~x\ry\x1b[201~", "\x1b\r"} {
		for i := 1; i < len(sent); i++ {
			if k, n := nextKey([]byte(sent[:i])); n != 0 {
				t.Errorf("nextKey(%q) = %v, %d; want to wait for more", sent[:i], k, n)
			}
		}
		if _, n := nextKey([]byte(sent + "x")); n != len(sent) {
			t.Errorf("nextKey(%q…) took %d bytes, want %d", sent, n, len(sent))
		}
	}
}

func TestComplete(t *testing.T) {
	words := []string{"/help", "/tools", "/model", "/system", "/set", "/save"}
	for _, c := range []struct {
		typed, want string
		fit         int
	}{
		{"/h", "/help ", 1},
		{"/s", "/s", 3},
		{"/se", "/set ", 1},
		{"/x", "/x", 0},
		{"word", "word", 0},
	} {
		e := newEditor(nil)
		e.set([]rune(c.typed))
		if fit := e.complete(words); e.String() != c.want || len(fit) != c.fit {
			t.Errorf("complete(%q) = %q, %v; want %q, %d words", c.typed, e.String(), fit, c.want, c.fit)
		}
	}
}

func TestDraw(t *testing.T) {
	for _, c := range []struct {
		name     string
		text     string // | where the cursor is
		width    int
		rows     []string
		row, col int
	}{
		{"empty", "|", 10, []string{"> "}, 0, 2},
		{"short", "ab|c", 10, []string{"> abc"}, 0, 4},
		{"wrapped", "abcdefghij|", 10, []string{"> abcdefg", "hij"}, 1, 3},
		{"the cursor at the edge", "abcdefg|", 10, []string{"> abcdefg"}, 0, 9},
		{"the cursor on a wrapped character", "abcdefg|h", 10, []string{"> abcdefg", "h"}, 1, 0},
		{"two lines", "ab\nc|d", 10, []string{"> ab", ". cd"}, 1, 3},
		{"wide characters are not cut", "日本語日|本", 10, []string{"> 日本語", "日本"}, 1, 2},
		{"emoji", "👍🏽👍🏽|", 10, []string{"> 👍🏽👍🏽"}, 0, 6},
		{"a tab", "a\tb|", 10, []string{"> a b"}, 0, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, after, _ := strings.Cut(c.text, "|")
			e := newEditor(nil)
			e.set([]rune(before + after))
			e.cursor = len([]rune(before))
			d := e.draw("> ", ". ", c.width)
			if !slices.Equal(d.rows, c.rows) || d.row != c.row || d.col != c.col {
				t.Errorf("rows %q, cursor %d:%d; want %q, %d:%d", d.rows, d.row, d.col, c.rows, c.row, c.col)
			}
			for _, row := range d.rows {
				if textWidth(row) >= c.width {
					t.Errorf("row %q is too wide", row)
				}
			}
		})
	}
}

// A terminal that becomes narrower breaks what stands on it anew: what is drawn
// over has more rows then.
func TestAbove(t *testing.T) {
	for _, c := range []struct {
		text      string // | where the cursor is, drawn 10 columns wide
		width     int    // of the terminal now
		want      int
		wantTaken string // what stands above
	}{
		{"abc|", 10, 0, "nothing"},
		{"abc|", 5, 0, "the text fits"},
		{"abcd|", 5, 1, "> abc"},
		{"abc|d", 5, 1, "> abc, as the cursor is on d"},
		{"ab|cd", 5, 0, "nothing"},
		{"abcdefghijk|", 10, 1, "> abcdefg"},
		{"abcdefghijk|", 6, 2, "> abcd efg"},
		{"abcdefghijk|", 3, 4, "> a bcd efg hij"},
		{"abcdefghijk|", 20, 1, "> abcdefg: a line break stays"},
		{"日本語日本|", 9, 1, "> 日本語"},
		{"日本語日本|", 7, 2, "> 日本 語: no half of a character"},
	} {
		before, after, _ := strings.Cut(c.text, "|")
		e := newEditor(nil)
		e.set([]rune(before + after))
		e.cursor = len([]rune(before))
		if got := e.draw("> ", ". ", 10).above(c.width); got != c.want {
			t.Errorf("%s on %d columns: %d rows above, want %d (%s)", c.text, c.width, got, c.want, c.wantTaken)
		}
	}
	if got := (drawing{}).above(10); got != 0 {
		t.Errorf("nothing drawn: %d rows above", got)
	}
}

// What is longer than the screen is shown around the cursor.
func TestWithin(t *testing.T) {
	d := drawing{rows: []string{"a", "b", "c", "d", "e"}}
	for _, c := range []struct {
		row, height int
		rows        string
		wantRow     int
	}{
		{4, 5, "abcde", 4}, {0, 3, "abc", 0}, {1, 3, "abc", 1}, {2, 3, "bcd", 1}, {4, 3, "cde", 2}, {4, 1, "e", 0},
	} {
		d.row = c.row
		got := d.within(c.height)
		if rows := strings.Join(got.rows, ""); rows != c.rows || got.row != c.wantRow || got.top != c.row-c.wantRow {
			t.Errorf("row %d in %d: %s, cursor in %d, %d left out; want %s, %d", c.row, c.height, rows, got.row, got.top, c.rows, c.wantRow)
		}
	}
}
