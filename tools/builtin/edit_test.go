package builtin

import (
	"strings"
	"testing"
)

func TestReplace(t *testing.T) {
	tests := []struct {
		name           string
		text, old, new string
		all            bool
		want           string
		did            string
	}{
		{name: "a word", text: "one two\n", old: "two", new: "three", want: "one three\n", did: "replaced text in line 1"},
		{name: "lines", text: "a\nb\nc\nd\n", old: "b\nc\n", new: "x\n", want: "a\nx\nd\n", did: "replaced text in lines 2-3"},
		{name: "deleted", text: "a\nb\nc\n", old: "b\n", new: "", want: "a\nc\n", did: "replaced text in line 2"},
		{name: "all", text: "a a a", old: "a", new: "b", all: true, want: "b b b", did: "replaced 3 occurrences"},
		{name: "all of one", text: "a", old: "a", new: "b", all: true, want: "b", did: "replaced 1 occurrence"},
		{name: "whole", text: "a", old: "a", new: "b", want: "b"},
		{name: "dollar and backslash", text: "a\n", old: "a", new: `$1\1`, want: "$1\\1\n"},

		// line breaks
		{name: "crlf", text: "a\r\nb\r\nc\r\n", old: "a\nb\n", new: "x\ny\nz\n", want: "x\r\ny\r\nz\r\nc\r\n"},
		{name: "crlf, one line", text: "a\r\nb\r\n", old: "b", new: "x\ny", want: "a\r\nx\r\ny\r\n"},
		{name: "crlf given", text: "a\r\nb\r\n", old: "a\r\nb", new: "x", want: "x\r\n"},
		{name: "mixed, in the lf part", text: "a\nb\nc\nd\r\n", old: "a\nb", new: "x\ny", want: "x\ny\nc\nd\r\n"},
		{name: "mixed, in the crlf part", text: "a\nb\nc\r\nd\r\ne\n", old: "c\nd", new: "x\ny", want: "a\nb\nx\r\ny\r\ne\n"},
		{name: "crlf given for lf", text: "a\nb\n", old: "a\r\nb\r\n", new: "x\r\n", want: "x\n"},

		// white space
		{name: "trailing blanks in the file", text: "a  \nb\t\nc\n", old: "a\nb", new: "a\nx", want: "a  \nx\nc\n",
			did: "replaced text in lines 1-2, which differed from old in white space or typography; all else kept its bytes"},
		{name: "trailing blanks in old", text: "a\nb\nc\n", old: "a \nb ", new: "a \nx", want: "a\nx\nc\n"},
		{name: "blanks inside", text: "x  =  1\ny = 2\n", old: "x = 1", new: "x = 3", want: "x = 3\ny = 2\n"},
		{name: "tabs for blanks", text: "if x {\n\ta\n\t\tb\n}\n", old: "if x {\n    a\n        b\n}", new: "if x {\n    c\n        b\n}",
			want: "if x {\n\tc\n\t\tb\n}\n"},
		{name: "less indented", text: "f:\n    if x:\n        a\n", old: "if x:\n    a\n", new: "if x:\n    b\n    c\n",
			want: "f:\n    if x:\n        b\n        c\n"},
		{name: "more indented", text: "if x:\n    a\n", old: "  if x:\n      a\n", new: "  if x:\n      b\n", want: "if x:\n    b\n"},
		{name: "an empty line stays empty", text: "    a\n    b\n", old: "a\nb\n", new: "a\n\nc\n", want: "    a\n\n    c\n"},
		{name: "blanks at the end stay", text: "  a\n  b\n", old: "a\nb\n", new: "a\nc  \nd\n", want: "  a\n  c  \n  d\n"},
		{name: "blank lines around", text: "a \nb\n", old: "\n\na\nb\n\n", new: "\n\nx\n\n", want: "x\n"},
		{name: "no last break", text: "a \nb", old: "a\nb", new: "a\nx\ny", want: "a \nx\ny"},
		{name: "deleted at the end", text: "a\nb \nc", old: "b\nc", new: "b", want: "a\nb "},
		{name: "all deleted", text: "a \nb\n", old: "a\nb", new: "", want: ""},

		// typography
		{name: "quotes and dashes", text: "say “hi” – it’s\nnext\n", old: "say \"hi\" - it's\nnext", new: "say \"hi\" - it's\nlast",
			want: "say “hi” – it’s\nlast\n"},
		{name: "odd spaces", text: "a\u00a0b\nc\n", old: "a b\nc", new: "a b\nd", want: "a\u00a0b\nd\n"},
		{name: "untouched between two changes", text: "one\n“two”\nthree \n", old: "one\n\"two\"\nthree", new: "1\n\"two\"\n3", want: "1\n“two”\n3\n"},
		{name: "not utf-8 elsewhere", text: "caf\xe9\na  \nb\n", old: "a\nb", new: "a\nc", want: "caf\xe9\na  \nc\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := replace(tt.text, tt.old, tt.new, tt.all)
			if err != nil {
				t.Fatal(err)
			}
			if r.text != tt.want {
				t.Errorf("got\n%q\nwant\n%q", r.text, tt.want)
			}
			if tt.did != "" && r.did != tt.did {
				t.Errorf("did %q, want %q", r.did, tt.did)
			}
		})
	}
}

func TestReplaceRefused(t *testing.T) {
	tests := []struct {
		name           string
		text, old, new string
		want           string
	}{
		{"twice", "a\nb\na\n", "a", "x", "old stands there 2 times, at lines 1, 3; add lines around it"},
		{"overlapping", "aaa", "aa", "x", "old stands there 2 times, at lines 1, 1"},
		{"often", strings.Repeat("a\n", 50), "a", "x", "old stands there 50 times, at lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …"},
		{"loosely twice", "a  b\nx\na   b\n", "a b", "x", "typography at lines 1, 3; copy one of them exactly"},
		{"only part of a line", "func  main() {\n", "func main", "x", "closest is line 1, copy it exactly:\n1\tfunc  main() {"},
		{"closest by lines", "one\ntwo\nthree\nfour\n", "two\nthree and a half\nfour", "x", "closest is lines 2-4, copy it exactly:\n2\ttwo\n3\tthree\n4\tfour"},
		{"closest by likeness", "alpha beta\ngamma delta\n", "gamma dellta epsilon", "x", "closest is line 2, copy it exactly:\n2\tgamma delta"},
		{"nothing like it", "alpha\nbeta\n", "completely different", "x", "nothing in its 2 lines is like it"},
		{"empty file", "", "a", "x", "nothing in its 0 lines"},
		{"line numbers", "alpha\nbeta\n", "1\talpha\n2\tbeta", "x", "line numbers"},
		{"only line breaks", "alpha", "\n", "x", "nothing in its 1 line is like it"},
		{"blank old", "a\n\n\n\nb\n", " \n ", "x", "old is not there"},
		{"unclear indentation", "\ta\n  b\n", "a\nb", "c", "another indentation"},
		{"indentation of new unknown", "\ta\n\t\tb\n", "  a\n    b", "  a\n   c", "another indentation"},
		{"long region", strings.Repeat("x\n", 30) + "end\n", strings.Repeat("x\n", 30) + "END\n", "y", "[11 lines left out]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := replace(tt.text, tt.old, tt.new, false)
			if err == nil {
				t.Fatalf("got %q", r.text)
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got\n%v\nwant\n%s", err, tt.want)
			}
		})
	}
}

func TestEditFile(t *testing.T) {
	b := newBox(t, map[string]string{"a.go": "package a\n\nfunc f() {\n\treturn\n}\n", "bin": "a\x00", "bom": "\ufeffa\r\nb\r\n"})
	r := b.want("edit_file", args{"path": "a.go", "old": "return", "new": "panic(1)"}, "edited a.go: replaced text in line 4")
	if !strings.Contains(r.Diff, "-\treturn\n+\tpanic(1)\n") {
		t.Errorf("diff %q", r.Diff)
	}
	b.want("edit_file", args{"path": "bom", "old": "b\n", "new": "c\nd\n"}, "edited bom: replaced text in line 2")
	if got := b.read("bom"); got != "\ufeffa\r\nc\r\nd\r\n" {
		t.Errorf("got %q", got)
	}
	b.fails("edit_file", args{"path": "a.go", "old": "nowhere to be found", "new": "x"}, "a.go was not changed: old is not there")
	b.fails("edit_file", args{"path": "b.go", "old": "a", "new": "x"}, "did you mean a.go?")
	b.fails("edit_file", args{"path": "bin", "old": "a", "new": "x"}, "binary")
	b.fails("edit_file", args{"path": "a.go", "old": "", "new": "x"}, "old")
	b.fails("edit_file", args{"path": "a.go", "old": "x", "new": "x"}, "equal")
	noTemp(b)
}

// FuzzReplace: a text that is there once is replaced and nothing else; lines
// that are only like it are replaced within their lines.
func FuzzReplace(f *testing.F) {
	f.Add("a  \nb\nc", "a\nb", "a\nx")
	f.Add("a\r\nb\r\n", "b", "x\ny")
	f.Add("  a\n    b\n", "a\n  b", "a\n\n  c")
	f.Add("“a”\n", "\"a\"", "")
	f.Fuzz(func(t *testing.T, text, old, new string) {
		if old == "" || old == new {
			return
		}
		r, err := replace(text, old, new, false)
		if err != nil {
			return
		}
		for _, v := range spelledLike(text, old, new) {
			if n := len(occurrences(text, v.old)); n > 0 {
				if want := strings.Replace(text, v.old, v.new, 1); n != 1 || r.text != want {
					t.Fatalf("%d places; got %q, want %q", n, r.text, want)
				}
				return
			}
		}
		want, _ := trimEdges(old, new)
		file, n := rows(text), len(rows(want))
		at := looseMatches(file, rows(want))
		var before, after strings.Builder
		write(&before, file[:at[0]])
		write(&after, file[at[0]+n:])
		if len(at) != 1 || !strings.HasPrefix(r.text, before.String()) || !strings.HasSuffix(r.text, after.String()) {
			t.Fatalf("%d places; %q became %q", len(at), text, r.text)
		}
	})
}
