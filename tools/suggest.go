package tools

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hbollon/go-edlib"
)

// suggest returns the names that the given one may have meant, best first, at
// most n. A name is close if it has the same words in any order, if one begins
// or ends with the other's words, or if few letters have to change.
func suggest(name string, names []string, n int) []string {
	type scored struct {
		name  string
		score int
	}
	var close []scored
	for _, candidate := range names {
		if score, ok := distance(name, candidate); ok {
			close = append(close, scored{candidate, score})
		}
	}
	slices.SortStableFunc(close, func(a, b scored) int { return cmp.Compare(a.score, b.score) })
	var best []string
	for _, c := range close[:min(n, len(close))] {
		best = append(best, c.name)
	}
	return best
}

// maxName bounds the names that are compared: the time is quadratic.
const maxName = 128

// distance tells how far apart two names are and whether they are close at all.
func distance(given, candidate string) (int, bool) {
	if len(given) > maxName || len(candidate) > maxName {
		return 0, false
	}
	a, b := words(given), words(candidate)
	if len(a) == 0 || len(b) == 0 {
		return 0, false
	}
	edits := edlib.OSADamerauLevenshteinDistance(strings.Join(a, ""), strings.Join(b, ""))
	switch length := min(len(strings.Join(a, "")), len(strings.Join(b, ""))); {
	case edits <= 1+length/5:
		return edits, true
	case sameWords(a, b):
		return 2, true
	case startsOrEnds(a, b) || startsOrEnds(b, a):
		return 3 + max(len(a), len(b)), true
	case shared(a, b) > 0:
		return 20 - shared(a, b), true
	}
	return 0, false
}

// words splits a name at _, -, ., / and : and before capitals, in lower case.
func words(name string) []string {
	var b strings.Builder
	lower := false
	for _, r := range name {
		isUpper := 'A' <= r && r <= 'Z'
		if isUpper && lower {
			b.WriteByte(' ')
		}
		lower = !isUpper
		if strings.ContainsRune(`_-./:\`, r) {
			r = ' '
		}
		b.WriteRune(r)
	}
	return strings.Fields(strings.ToLower(b.String()))
}

func sameWords(a, b []string) bool {
	return len(a) == len(b) && slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// startsOrEnds reports whether long begins or ends with the words of short.
func startsOrEnds(long, short []string) bool {
	if len(long) < len(short) {
		return false
	}
	return slices.Equal(long[:len(short)], short) || slices.Equal(long[len(long)-len(short):], short)
}

// shared counts the words of three letters or more that both have.
func shared(a, b []string) int {
	n := 0
	for _, w := range a {
		if len(w) >= 3 && slices.Contains(b, w) {
			n++
		}
	}
	return n
}
