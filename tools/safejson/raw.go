package safejson

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"unicode/utf8"
)

func writeRawMessage(e *encoder, dst []byte, v reflect.Value, c *codec) []byte {
	if v.IsNil() {
		return append(dst, "null"...)
	}
	return e.raw(dst, v.Bytes(), c)
}

// raw writes JSON that somebody else made: compacted and checked, otherwise as
// it is. What is deeper than it may be is read and written anew.
func (e *encoder) raw(dst, raw []byte, c *codec) []byte {
	if len(raw) > e.limit-len(dst) {
		e.full = true
		return dst
	}
	out := bytes.NewBuffer(dst)
	if err := json.Compact(out, raw); err != nil {
		return words(dst, "invalid JSON from %s: %s", c.typ, clip(raw))
	}
	written := out.Bytes()[len(dst):]
	deep, odd := inspect(written, e.maxDepth-e.depth)
	switch {
	case deep:
		v, _ := decode(raw)
		return e.any(dst, v)
	case odd:
		return appendMended(dst, bytes.Clone(written))
	}
	return out.Bytes()
}

// decode reads valid JSON with all digits of its numbers. It fails for JSON
// that nests deeper than encoding/json allows.
func decode(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err
}

// inspect looks through valid JSON: is it deeper than depth, and may a string
// hold bytes that are no UTF-8, or half of a surrogate pair?
func inspect(raw []byte, depth int) (deep, odd bool) {
	open := 0
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			end := stringEnd(raw, i)
			odd = odd || isOdd(raw[i:end])
			i = end - 1
		case '{', '[':
			if open++; open > depth {
				return true, odd
			}
		case '}', ']':
			open--
		}
	}
	return false, odd
}

// stringEnd returns the offset behind the string that begins at i.
func stringEnd(raw []byte, i int) int {
	for i++; raw[i] != '"'; i++ {
		if raw[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// isOdd reports whether a strict reader might refuse the string.
func isOdd(s []byte) bool {
	return !utf8.Valid(s) || bytes.Contains(s, []byte(`\ud`)) || bytes.Contains(s, []byte(`\uD`))
}

// appendMended copies valid JSON and replaces in its strings what is no Unicode.
func appendMended(dst, raw []byte) []byte {
	for i := 0; i < len(raw); {
		if raw[i] != '"' {
			dst = append(dst, raw[i])
			i++
			continue
		}
		end := stringEnd(raw, i)
		if s := raw[i:end]; isOdd(s) {
			dst = appendString(dst, unquote(s))
		} else {
			dst = append(dst, s...)
		}
		i = end
	}
	return dst
}

// unquote reads a JSON string; encoding/json puts U+FFFD where it must.
func unquote(s []byte) string {
	var text string
	if json.Unmarshal(s, &text) != nil {
		return strings.ToValidUTF8(string(s), string(utf8.RuneError)) // not reached: s is valid
	}
	return text
}

// decoded returns the value that a method wrote as JSON, to be cut.
func (e *encoder) decoded(v reflect.Value, c *codec) (any, bool) {
	unlimited := encoder{limit: maxRaw, maxDepth: e.maxDepth - e.depth}
	raw := c.write(&unlimited, nil, v, c)
	if unlimited.full {
		return nil, false
	}
	value, err := decode(raw)
	return value, err == nil
}

// maxRaw bounds the ready-made JSON that is read in order to be cut.
const maxRaw = 64 << 20
