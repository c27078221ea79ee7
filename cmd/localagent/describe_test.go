package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/localagent/localagent/tools"
)

func TestDescribeArgs(t *testing.T) {
	for _, c := range []struct {
		name, args string
		max        int
		want       string
	}{
		{"none", `{}`, 60, ""},
		{"a word", `{"path":"go.mod"}`, 60, "path=go.mod"},
		{"words", `{"text":"two words"}`, 60, `text="two words"`},
		{"an empty string is seen", `{"text":""}`, 60, `text=""`},
		{"the model's order and digits", `{"b":1.50,"a":[1,2]}`, 60, "b=1.50 a=[1,2]"},
		{"quotes and line breaks", `{"t":"a \"b\"\nc"}`, 60, `t="a \"b\"\nc"`},
		{"escape sequences", "{\"t\":\"\\u001b[2J\"}", 60, `t="␛[2J"`},
		{"too long", `{"path":"` + strings.Repeat("x", 100) + `","limit":3}`, 30, "path=" + strings.Repeat("x", 24) + "…"},
		{"a long value leaves room for the next", `{"path":"` + strings.Repeat("x", 100) + `","limit":3}`, 100, "path=" + strings.Repeat("x", 47) + "… limit=3"},
		{"wide characters", `{"city":"東京都"}`, 10, "city=東京…"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := describeArgs([]byte(c.args), c.max)
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if w := textWidth(got); w > c.max {
				t.Errorf("%d columns, want at most %d", w, c.max)
			}
		})
	}
}

func TestDescribeResult(t *testing.T) {
	two := 2
	for _, c := range []struct {
		name string
		r    tools.Result
		want string
	}{
		{"a short value", tools.Result{Status: tools.OK, Text: "Infinity"}, "ok, Infinity"},
		{"nothing", tools.Result{Status: tools.OK}, "ok, nothing"},
		{"a text", tools.Result{Status: tools.OK, Text: "one\ntwo\nthree\n"}, "ok, 3 lines, 14 B"},
		{"a long line", tools.Result{Status: tools.OK, Text: strings.Repeat("x", 2000)}, "ok, 1 line, 2.0 KiB"},
		{"an error", tools.Result{Status: tools.Failed, Text: "no such file\nmore"}, "error, no such file"},
		{"a repeat", tools.Result{Status: tools.Repeated, Text: "see above"}, "repeated, it repeats the step before and was not run again"},
		{"a program that says so itself", tools.Result{Status: tools.Failed, Text: "exit status 2: no such city", ExitCode: &two}, "error, exit status 2: no such city"},
		{"a program", tools.Result{Status: tools.OK, Text: "a\nb", ExitCode: &two}, "ok, 2 lines, 3 B, exit status 2"},
		{"slow", tools.Result{Status: tools.OK, Text: "x", Elapsed: 1500 * time.Millisecond}, "ok, x, 1.5 s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := describeResult(c.r, 80); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestSmallTexts(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{bytesText(0), "0 B"},
		{bytesText(1023), "1023 B"},
		{bytesText(1536), "1.5 KiB"},
		{bytesText(1<<20 - 1), "1.0 MiB"},
		{bytesText(int64(5) << 30), "5.0 GiB"},
		{thousands(999), "999"},
		{thousands(1000), "1,000"},
		{thousands(-1234567), "-1,234,567"},
		{plural(1, "line"), "1 line"},
		{plural(1200, "line"), "1,200 lines"},
		{shortTime(42 * time.Millisecond), "42 ms"},
		{shortTime(61 * time.Second), "1m1s"},
		{orList([]string{"a"}), "a"},
		{orList([]string{"a", "b", "c"}), "a, b or c"},
		{wrap("one two three", 8), "one two\nthree"},
		{wrap("a\n\nb", 8), "a\n\nb"},
		{fenced("a ``` b"), "````\na ``` b\n````"},
		{unquoteLines("\"\"\"\na\nb\n\"\"\""), "a\nb"},
		{unquoteLines(`say """x`), `say """x`},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// A row of two columns; on a narrow screen one stands below the other.
func TestWriteRow(t *testing.T) {
	for width, want := range map[int]string{
		41: "  /exit   leave; also /quit, /bye, Ctrl-D\n",
		30: "  /exit   leave; also /quit,\n          /bye, Ctrl-D\n",
		28: "  /exit\n      leave; also /quit,\n      /bye, Ctrl-D\n",
	} {
		var b strings.Builder
		if writeRow(&b, width, 10, "/exit", "leave; also /quit, /bye, Ctrl-D"); b.String() != want {
			t.Errorf("%d columns: %q, want %q", width, b.String(), want)
		}
	}
}

// The line of a call: the result has what the arguments do not need, and the
// other way round; on a narrow screen it stands alone.
func TestShare(t *testing.T) {
	long := strings.Repeat("x", 50)
	for _, c := range []struct {
		left           int
		args, text     string
		wantArgs, want string
	}{
		{left: 60, args: `{"path":"a"}`, text: long, wantArgs: "path=a", want: "ok, " + long},
		{left: 60, args: `{"path":"` + long + `"}`, text: "42", wantArgs: "path=" + long[:47] + "…", want: "ok, 42"},
		{left: 40, args: `{"path":"` + long + `"}`, text: long, wantArgs: "path=" + long[:14] + "…", want: "ok, " + long[:15] + "…"},
		{left: 14, args: `{"path":"a"}`, text: long, wantArgs: "", want: "ok, " + long[:10] + "…"},
	} {
		args, result := share(c.left, json.RawMessage(c.args), tools.Result{Status: tools.OK, Text: c.text})
		if args != c.wantArgs || result != c.want {
			t.Errorf("%d columns: %q, %q; want %q, %q", c.left, args, result, c.wantArgs, c.want)
		}
	}
}
