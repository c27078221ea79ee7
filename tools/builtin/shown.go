package builtin

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// shown writes a name for a reader: quoted if it has characters that could be
// taken for something else.
func shown(name string) string {
	odd := func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }
	if !strings.ContainsFunc(name, odd) && strings.TrimSpace(name) == name {
		return name
	}
	return strconv.Quote(name)
}

// count writes a number of things: "1 line", "2,000 entries" of "entry".
func count[N int | int64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	if stem, ok := strings.CutSuffix(thing, "y"); ok {
		thing = stem + "ie"
	}
	return grouped(int64(n)) + " " + thing + "s"
}

func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// bytesOf writes a size for a reader.
func bytesOf(n int64) string {
	if n < 10_000 {
		return count(n, "byte")
	}
	f, unit := float64(n)/1024, "KB"
	for _, next := range []string{"MB", "GB", "TB"} {
		if f < 1000 {
			break
		}
		f, unit = f/1024, next
	}
	return fmt.Sprintf("%.3g %s", f, unit)
}
