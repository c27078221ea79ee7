package parse

// tri is an answer that may have to wait for more text.
type tri uint8

const (
	no tri = iota
	maybe
	yes
)

// maybeIf is maybe if more text may come and change an answer that is no so far.
func (s *Scanner) maybeIf(open bool) tri {
	if open && !s.eof {
		return maybe
	}
	return no
}

// orPlain passes on to the word at p as text if it is nothing else.
func (s *Scanner) orPlain(is tri, p int) bool {
	return is != maybe && (is == yes || s.plain(p, p))
}
