package parse

import "strings"

func (r *reader) number(w string) {
	n, same := number(w)
	if n == "" {
		r.failWord(ReasonMalformed, w, "a number")
		return
	}
	if !same && !r.inArgs() {
		r.repair(RepairNumber, r.tokAt)
	}
	r.element()
	r.out = append(r.out, n...)
	r.valueEnded()
}

// number returns the JSON number that w is, digits as written: "" if it is
// none. Python's +1, 1_000, .5 and 5. are numbers.
func number(w string) (n string, same bool) {
	if isNumber(w) {
		return w, true
	}
	sign := ""
	switch {
	case strings.HasPrefix(w, "+"):
		w = w[1:]
	case strings.HasPrefix(w, "-"):
		sign, w = "-", w[1:]
	}
	for i := 1; i+1 < len(w); i++ {
		if w[i] == '_' && !(isDigit(w[i-1]) && isDigit(w[i+1])) {
			return "", false
		}
	}
	w = strings.ReplaceAll(w, "_", "")
	if strings.HasPrefix(w, ".") {
		w = "0" + w
	}
	if i := strings.IndexByte(w, '.'); i >= 0 && (i+1 == len(w) || !isDigit(w[i+1])) {
		w = w[:i] + ".0" + w[i+1:]
	}
	if !isNumber(sign + w) {
		return "", false
	}
	return sign + w, false
}

// isNumber reports whether w is a number of RFC 8259.
func isNumber(w string) bool { return w != "" && numberLen(w) == len(w) }

// numberLen is the length of the number of RFC 8259 that s begins with, 0 if it
// begins with none.
func numberLen(s string) int {
	i := 0
	if i < len(s) && s[i] == '-' {
		i++
	}
	n := digits(s[i:])
	if n == 0 || n > 1 && s[i] == '0' {
		return 0
	}
	i += n
	if i < len(s) && s[i] == '.' {
		if n = digits(s[i+1:]); n == 0 {
			return 0
		}
		i += 1 + n
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		k := i + 1
		if k < len(s) && (s[k] == '+' || s[k] == '-') {
			k++
		}
		if n = digits(s[k:]); n == 0 {
			return 0
		}
		i = k + n
	}
	return i
}

// digits counts the digits that s begins with.
func digits(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}
