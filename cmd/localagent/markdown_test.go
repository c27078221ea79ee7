package main

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// showMarkdown is what a terminal of so many columns shows of pieces of text,
// styles written as letters in angle brackets.
func showMarkdown(width string, pieces ...string) string {
	var b bytes.Buffer
	s := newScreen(&b, vars("COLUMNS", width))
	s.setColor("always")
	m := newMarkdown(s)
	for _, p := range pieces {
		m.write(p)
	}
	m.close()
	return strings.NewReplacer(
		string(styleBold), "<b>", string(styleItalic), "<i>", string(styleCode), "<c>",
		string(styleDim), "<d>", string(styleLink), "<u>", styleReset, "</>").Replace(b.String())
}

var markdownCases = []struct{ name, text, want string }{
	{"plain", "It is 42.", "It is 42.\n"},
	{"two lines", "one\ntwo", "one\ntwo\n"},
	{"an empty line", "one\n\ntwo\n", "one\n\ntwo\n"},
	{"bold", "a **b c** d", "a <b>b</> <b>c</> d\n"},
	{"italic", "a *b* _c_ d", "a <i>b</> <i>c</> d\n"},
	{"both", "**a *b* c**", "<b>a</> <b><i>b</> <b>c</>\n"},
	{"code", "run `go test ./...` now", "run <c>go test ./...</> now\n"},
	{"code in bold", "**`x`**", "<b><c>x</>\n"},
	{"code with backticks", "``a ` b``", "<c>a ` b</>\n"},
	{"multiplication is no emphasis", "2 * 3 * 4 and 2 ** 3", "2 * 3 * 4 and 2 ** 3\n"},
	{"snake case is no emphasis", "read_file and count_chars", "read_file and count_chars\n"},
	{"an open star before a double one", "a *b **c", "a *b **c\n"},
	{"an open mark stays", "**not closed", "**not closed\n"},
	{"an open tick stays", "a ` b", "a ` b\n"},
	{"escaped marks", `\*a\* \d`, `*a* \d` + "\n"},
	{"heading", "## Title **x**\ntext", "<b>Title</> <b>x</>\ntext\n"},
	{"no heading", "#tag", "#tag\n"},
	{"list", "- one\n* two\n  + three", "<d>• </>one\n<d>• </>two\n  <d>• </>three\n"},
	{"numbers", "1. one\n2) two", "<d>1. </>one\n<d>2) </>two\n"},
	{"a minus is no list", "-1 is less than 0", "-1 is less than 0\n"},
	{"a year is no list", "1984 was", "1984 was\n"},
	{"quote", "> said", "<d>│ </>said\n"},
	{"rule", "a\n---\nb", "a\n<d>" + strings.Repeat("─", 39) + "</>\nb\n"},
	{"fence", "```go\nx := **y\n```\ntext", "<d>```go</>\n<c>x := **y</>\n<d>```</>\ntext\n"},
	{"an open fence", "```\ncode", "<d>```</>\n<c>code</>\n"},
	{"a fence in a fence", "~~~\n```\n~~~", "<d>~~~</>\n<c>```</>\n<d>~~~</>\n"},
	{"link", "see [the docs](http://x.y/z) now", "see <u>the docs</><d> (http://x.y/z)</> now\n"},
	{"brackets", "a[0] and [x]", "a[0] and [x]\n"},
	{"table", "| a | bb |\n|---|:--:|\n| ccc | **d** |\nend",
		" <b>a</>     <b>bb</>  \n<d>──────────</>\n ccc   d   \nend\n"},
	{"a table with a second rule", "| a | b |\n|---|---|\n| 1 | 2 |\n|----|----|\n| - | - |",
		" <b>a</>      <b>b</>     \n<d>─────────────</>\n 1      2     \n ----   ----  \n -      -     \n"},
	{"a table that begins with a rule", "|---|\n| a |", " <b>---</>  \n a    \n"},
	{"no table", "| alone", "| alone\n"},
	{"wrapped", strings.Repeat("word ", 12), "word word word word word word word word\nword word word word\n"},
	{"a wrapped item", "- " + strings.Repeat("word ", 9), "<d>• </>word word word word word word word\n  word word\n"},
	{"wide characters break anywhere", strings.Repeat("日本", 12), strings.Repeat("日本", 9) + "日\n本" + strings.Repeat("日本", 2) + "\n"},
	{"a long word is not broken", "x " + strings.Repeat("y", 50), "x\n" + strings.Repeat("y", 50) + "\n"},
	{"escape sequences", "a \x1b[31m **b\x07**", "a ␛[31m <b>b␇</>\n"},
}

func TestMarkdown(t *testing.T) {
	for _, c := range markdownCases {
		t.Run(c.name, func(t *testing.T) {
			if got := showMarkdown("40", c.text); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// However the text is cut into pieces, the terminal shows the same.
func TestMarkdownPieces(t *testing.T) {
	for _, c := range markdownCases {
		whole := showMarkdown("40", c.text)
		for i := range c.text {
			if got := showMarkdown("40", c.text[:i], c.text[i:]); got != whole {
				t.Errorf("%s: cut at %d: got %q, want %q", c.name, i, got, whole)
			}
		}
		if got := showMarkdown("40", strings.Split(c.text, "")...); got != whole {
			t.Errorf("%s: rune by rune: got %q, want %q", c.name, got, whole)
		}
	}
}

// No text stops the program, and none is shown in another way in pieces.
func TestMarkdownAnything(t *testing.T) {
	pieces := strings.Fields("| - --- : a ** * _ ` ``` ~~~ [ ]( x) ] # \\ > 1. + é 日 👍🏽 \x1b")
	pieces = append(pieces, "\n", "\n| ", " ", "\t", "word ")
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		var text strings.Builder
		for range 1 + r.IntN(24) {
			text.WriteString(pieces[r.IntN(len(pieces))])
		}
		runes := strings.Split(text.String(), "")
		at := r.IntN(len(runes) + 1)
		whole := showMarkdown("40", text.String())
		if got := showMarkdown("40", strings.Join(runes[:at], ""), strings.Join(runes[at:], "")); got != whole {
			t.Errorf("%q cut at %d: got %q, want %q", text.String(), at, got, whole)
		}
	}
}
