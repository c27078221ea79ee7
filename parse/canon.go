package parse

import (
	"iter"
	"strings"
)

// The functions of this file walk canonical JSON, which the reader wrote: it is
// valid and has no white space.

// skipValue returns the end of the value at c[i:].
func skipValue(c string, i int) int {
	switch c[i] {
	case '"':
		return skipString(c, i)
	case '{', '[':
	default:
		for i < len(c) && c[i] != ',' && c[i] != '}' && c[i] != ']' {
			i++
		}
		return i
	}
	depth := 0
	for i < len(c) {
		switch c[i] {
		case '"':
			i = skipString(c, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return i
}

// skipString returns the end of the string at c[i:].
func skipString(c string, i int) int {
	for i++; i < len(c); {
		j := strings.IndexByte(c[i:], '"')
		if j < 0 {
			return len(c)
		}
		j += i
		k := j
		for c[k-1] == '\\' {
			k--
		}
		if i = j + 1; (j-k)%2 == 0 {
			return i
		}
	}
	return i
}

// A field is a key of an object and its value, as ranges of canonical JSON.
type field struct {
	key           string // decoded
	keyAt         int
	valAt, valEnd int
}

// fields yields the members of the object at c[i:].
func fields(c string, i int) iter.Seq[field] {
	return func(yield func(field) bool) {
		for i := i + 1; c[i] != '}'; {
			if c[i] == ',' {
				i++
			}
			k := skipString(c, i)
			m := field{key: unquote(c[i:k]), keyAt: i, valAt: k + 1, valEnd: skipValue(c, k+1)}
			if !yield(m) {
				return
			}
			i = m.valEnd
		}
	}
}

// elements yields where the elements of the list at c[i:] start and end.
func elements(c string, i int) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		for i := i + 1; c[i] != ']'; {
			if c[i] == ',' {
				i++
			}
			end := skipValue(c, i)
			if !yield(i, end) {
				return
			}
			i = end
		}
	}
}
