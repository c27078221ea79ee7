package tools

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hbollon/go-edlib"
)

// suggest returns the names that the given one may have meant, best first, at
// most n. A name is close if few letters have to change, if it has the same
// words in another order, or if one begins or ends with the other; failing
// that, if they have a word in common.
func suggest(name string, names []string, n int) []string {
	type scored struct {
		name  string
		score int
	}
	var near []scored
	best := far
	for _, candidate := range names {
		score, ok := distance(name, candidate)
		if ok {
			near = append(near, scored{candidate, score})
			best = min(best, score)
		}
	}
	slices.SortStableFunc(near, func(a, b scored) int { return cmp.Compare(a.score, b.score) })
	var found []string
	for _, c := range near {
		if len(found) < n && (c.score < far || best == far) {
			found = append(found, c.name)
		}
	}
	return found
}

const (
	// maxName bounds the names that are compared: the time is quadratic.
	maxName = 128

	// far is the distance of names that only have a word in common.
	far = 100
)

// distance tells how far apart two names are and whether they are close at all.
func distance(given, candidate string) (score int, ok bool) {
	if len(given) > maxName || len(candidate) > maxName {
		return 0, false
	}
	a, b := words(given), words(candidate)
	joinedA, joinedB := strings.Join(a, ""), strings.Join(b, "")
	if joinedA == "" || joinedB == "" {
		return 0, false
	}
	edits := edlib.OSADamerauLevenshteinDistance(joinedA, joinedB)
	switch {
	case edits <= 1+min(len(joinedA), len(joinedB))/5:
		return edits, true
	case sameWords(a, b):
		return 2, true
	case startsOrEnds(a, b) || startsOrEnds(b, a) || begins(joinedA, joinedB):
		return 3 + max(len(a), len(b)), true
	}
	return far, shareWord(a, b)
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

// begins reports whether the shorter name, of four letters or more, begins the
// longer one: calc and calculator.
func begins(a, b string) bool {
	return min(len(a), len(b)) >= 4 && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}

// shareWord reports whether both have a word of three letters or more.
func shareWord(a, b []string) bool {
	return slices.ContainsFunc(a, func(w string) bool { return len(w) >= 3 && slices.Contains(b, w) })
}
