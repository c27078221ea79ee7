package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/parse"
	"github.com/localagent/localagent/tools"
	"github.com/tidwall/gjson"
)

// describeArgs shows the arguments of a call on one line of at most max
// columns: key=value, in the model's order. Long values are shortened before
// short ones are lost.
func describeArgs(args json.RawMessage, max int) string {
	const longest = 48
	var b strings.Builder
	gjson.ParseBytes(args).ForEach(func(k, v gjson.Result) bool {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(oneLine(k.String(), 24) + "=" + describeValue(v, longest))
		return b.Len() < 4*max
	})
	return cutWidth(b.String(), max)
}

func describeValue(v gjson.Result, max int) string {
	if v.Type != gjson.String {
		return oneLine(v.Raw, max)
	}
	if s := v.String(); s != "" && !strings.ContainsFunc(s, isDelimiter) {
		return oneLine(s, max)
	}
	return quoted(v.String(), max)
}

// isDelimiter says whether a value with r in it needs quotes to be told from
// what stands beside it.
func isDelimiter(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || r == '"' || r == '='
}

// quoted is s in quotes on one line of at most max columns.
func quoted(s string, max int) string {
	s = strings.NewReplacer("\n", `\n`, "\t", `\t`, `"`, `\"`).Replace(s)
	return `"` + oneLine(s, max) + `"`
}

// shortResult is how wide a result may be to be shown instead of its size.
const shortResult = 60

// describeResult says in a few words what came of a call.
func describeResult(r tools.Result, max int) string {
	words := []string{string(r.Status)}
	switch {
	case r.Status == tools.Repeated:
		words = append(words, "it repeats the step before and was not run again")
	case r.Text == "":
		words = append(words, "nothing")
	case r.Status != tools.OK:
		words = append(words, firstLine(r.Text))
	case !strings.Contains(strings.TrimSpace(r.Text), "\n") && textWidth(r.Text) <= shortResult:
		words = append(words, r.Text)
	default:
		words = append(words, size(r.Text))
	}
	if r.ExitCode != nil && *r.ExitCode != 0 && !strings.HasPrefix(words[1], "exit status") {
		words = append(words, "exit status "+strconv.Itoa(*r.ExitCode))
	}
	if r.Elapsed >= time.Second {
		words = append(words, shortTime(r.Elapsed))
	}
	return oneLine(strings.TrimSpace(strings.Join(words, ", ")), max)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// size says how much text there is.
func size(text string) string {
	lines := strings.Count(strings.TrimRight(text, "\n"), "\n") + 1
	return plural(lines, "line") + ", " + bytesText(len(text))
}

func bytesText[N int | int64](n N) string {
	const units = "KMGT"
	if n < 1024 {
		return strconv.FormatInt(int64(n), 10) + " B"
	}
	f, u := float64(n)/1024, 0
	for f >= 1023.95 && u < len(units)-1 {
		f, u = f/1024, u+1
	}
	return strconv.FormatFloat(f, 'f', 1, 64) + " " + units[u:u+1] + "iB"
}

func plural(n int, word string) string { return pluralOf(n, word, word+"s") }

func pluralOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(n) + " " + many
}

// thousands is n with a comma between groups of three digits.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// shortTime is a duration with no more digits than a person wants.
func shortTime(d time.Duration) string {
	switch {
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	case d < time.Minute:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	}
	return d.Round(time.Second).String()
}

// describeProblem says why a reply cannot be used.
func describeProblem(ev loop.FreshRetry) string {
	p := ev.Problem
	s := fmt.Sprintf("%s at byte %d", p.Reason, p.Offset)
	return s + expectation(&p)
}

// expectation says what would have been right and what stood there.
func expectation(p *parse.Problem) string {
	s := ""
	if p.Expected != "" {
		s += ": expected " + p.Expected
	}
	switch p.Found {
	case "":
	case "end of text": // words of the parser, not of the reply
		s += ", found the end"
	default:
		s += ", found " + quoted(p.Found, 40)
	}
	return s
}
