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
	{"powers and products", "2**10 and 3**4; 2*3*4 = 24", "2**10 and 3**4; 2*3*4 = 24\n"},
	{"names in programs", "Call _build_index, _private() or x._a_b", "Call _build_index, _private() or x._a_b\n"},
	{"variables", "set _FOO_BAR=1; _x_y_z", "set _FOO_BAR=1; _x_y_z\n"},
	{"dunder names", "__init__ and __init__.py, __name__()", "__init__ and __init__.py, __name__()\n"},
	{"globs", "src/*.go, lib/*.go", "src/*.go, lib/*.go\n"},
	{"globs alone", "*.go and *.md or a/**/b/**/c", "*.go and *.md or a/**/b/**/c\n"},
	{"globs of folders", "**/*.go, **/x/** and lib/**", "**/*.go, **/x/** and lib/**\n"},
	{"arguments", "f(*args, **kwargs) g(**opts)", "f(*args, **kwargs) g(**opts)\n"},
	{"pointers", "int *a, *b; (*p)(*q)", "int *a, *b; (*p)(*q)\n"},
	{"a star in quotes", `"*" or "*"`, `"*" or "*"` + "\n"},
	{"cron", "* * * * * /bin/x", "* * * * * /bin/x\n"},
	{"words in bold", "**Note**: **S**ingle, **and** (**x**)", "<b>Note</>: <b>S</>ingle, <b>and</> (<b>x</>)\n"},
	{"paths in bold", "**.env**, **src/** and _this_.", "<b>.env</>, <b>src/</> and <i>this</>.\n"},
	{"bold without spaces", "这是**重点**内容", "这是<b>重</><b>点</>内容\n"},
	{"bold and italic", "***a b*** c", "<b><i>a</> <b><i>b</> c\n"},
	{"a mark in code is none", "*a `b*` c", "*a <c>b*</> c\n"},
	{"spaces stay", "a    b", "a    b\n"},
	{"backslashes of paths and formulas", `C:\.x \(a\) \.go$`, `C:\.x \(a\) \.go$` + "\n"},
	{"an index and a call", "a[0](x) and [x]()", "a[0](x) and [x]()\n"},
	{"a code span of spaces", "` ` and `` ` ``", "<c> </> and <c>`</>\n"},
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
		" <b>a</>     <b>bb</>  \n<d>──────────</>\n ccc   <b>d</>   \nend\n"},
	{"a table with a second rule", "| a | b |\n|---|---|\n| 1 | 2 |\n|----|----|\n| - | - |",
		" <b>a</>      <b>b</>     \n<d>─────────────</>\n 1      2     \n ----   ----  \n -      -     \n"},
	{"a table that begins with a rule", "|---|\n| a |", " <b>---</>  \n a    \n"},
	{"a table with code", "| e | v |\n|-|-|\n| 2**10 | `a|b` |\n| f(**kw) | x\\|y |",
		" <b>e</>         <b>v</>    \n<d>───────────────</>\n 2**10     <c>a|b</>  \n f(**kw)   x|y  \n"},
	{"indented code", "So:\n\n    x = a*b*c  **y**\n\n\ty[0](z)\nend", "So:\n\n<c>    x = a*b*c  **y**</>\n\n<c>\ty[0](z)</>\nend\n"},
	{"an indented line goes on", "one\n    **two**", "one\n    <b>two</>\n"},
	{"an indented line of a list", "- a\n\n    **b**\n\nc\n\n    **d**", "<d>• </>a\n\n    <b>b</>\n\nc\n\n<c>    **d**</>\n"},
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

// Of a line of text nothing is lost but marks, and those in pairs.
func TestMarkdownLosesNothing(t *testing.T) {
	pieces := strings.Fields("* ** *** _ __ ` `` ( ) [ ] . / , : \" a b 1 é 日 x_y \\")
	pieces = append(pieces, " ", " ")
	plain := strings.NewReplacer(" ", "", "\n", "", "`", "", "*", "", "_", "", "\\", "")
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		text := "x "
		for range 1 + r.IntN(16) {
			text += pieces[r.IntN(len(pieces))]
		}
		if strings.Contains(text, "](") || strings.Contains(text, "`") && strings.Contains(text, `\`) {
			continue
		}
		var b bytes.Buffer
		m := newMarkdown(newScreen(&b, vars("COLUMNS", "40")))
		m.write(text)
		m.close()
		got := b.String()
		if plain.Replace(got) != plain.Replace(text) {
			t.Errorf("%q became %q", text, got)
		}
		for _, mark := range []string{"*", "_"} {
			if lost := strings.Count(text, mark) - strings.Count(got, mark); lost%2 != 0 && !strings.Contains(text, `\`) {
				t.Errorf("%q became %q, with %d %s less", text, got, lost, mark)
			}
		}
	}
}
