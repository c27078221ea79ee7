package tools

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
)

// maxNesting is how deep arguments may nest. What walks them may recurse.
const maxNesting = 100

// kind is the type of a JSON value by its first byte.
type kind byte

const (
	kindNull   kind = 'n'
	kindBool   kind = 't'
	kindNumber kind = '0'
	kindString kind = '"'
	kindArray  kind = '['
	kindObject kind = '{'
)

// kindOf tells the type of a valid JSON value.
func kindOf(raw []byte) kind {
	switch c := raw[0]; c {
	case 'n', '"', '[', '{':
		return kind(c)
	case 't', 'f':
		return kindBool
	}
	return kindNumber
}

// name is what the type is called in a schema.
func (k kind) name() string {
	switch k {
	case kindNull:
		return "null"
	case kindBool:
		return "boolean"
	case kindNumber:
		return "number"
	case kindString:
		return "string"
	case kindArray:
		return "array"
	}
	return "object"
}

// A member is one key of an object and its value, as written.
type member struct {
	key   string
	value json.RawMessage
}

// members returns the members of a valid JSON object in the order of the text.
func members(raw []byte) []member {
	var ms []member
	rest := skipSpace(raw[1:])
	for rest[0] != '}' {
		var m member
		var key []byte
		key, rest = next(rest)
		m.key = unquote(key)
		m.value, rest = next(skipSpace(rest)[1:]) // past the colon
		ms = append(ms, m)
		rest = skipComma(rest)
	}
	return ms
}

// items returns the elements of a valid JSON array.
func items(raw []byte) []json.RawMessage {
	var vs []json.RawMessage
	rest := skipSpace(raw[1:])
	for rest[0] != ']' {
		var v []byte
		v, rest = next(rest)
		vs = append(vs, v)
		rest = skipComma(rest)
	}
	return vs
}

// next cuts valid JSON text after its first value.
func next(s []byte) (value, rest []byte) {
	s = skipSpace(s)
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			i = endOfString(s, i)
		case '{', '[':
			depth++
			continue
		case '}', ']':
			if depth == 0 { // of the container around a scalar
				return s[:i], s[i:]
			}
			depth--
		case ',', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return s[:i], s[i:]
			}
			continue
		default:
			continue
		}
		if depth == 0 {
			return s[:i+1], s[i+1:]
		}
	}
	return s, nil
}

// endOfString returns the offset of the quote that closes the one at i.
func endOfString(s []byte, i int) int {
	for i++; s[i] != '"'; i++ {
		if s[i] == '\\' {
			i++
		}
	}
	return i
}

func skipSpace(s []byte) []byte {
	for len(s) > 0 && (s[0] == ' ' || s[0] == '\t' || s[0] == '\n' || s[0] == '\r') {
		s = s[1:]
	}
	return s
}

func skipComma(s []byte) []byte {
	if s = skipSpace(s); s[0] == ',' {
		s = skipSpace(s[1:])
	}
	return s
}

func unquote(raw []byte) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return string(raw) // not reached: the text is valid JSON
	}
	return s
}

// tooDeep reports whether valid JSON nests deeper than maxNesting.
func tooDeep(raw []byte) bool {
	depth := 0
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			i = endOfString(raw, i)
		case '{', '[':
			if depth++; depth > maxNesting {
				return true
			}
		case '}', ']':
			depth--
		}
	}
	return false
}

// instance turns valid JSON into the Go values that the schema validator
// takes. It counts json.Number as a string, so numbers become the Go type that
// keeps the most of them; the bytes of the arguments stay what they are.
func instance(raw []byte) any {
	switch kindOf(raw) {
	case kindNull:
		return nil
	case kindBool:
		return raw[0] == 't'
	case kindString:
		return unquote(raw)
	case kindArray:
		vs := []any{}
		for _, v := range items(raw) {
			vs = append(vs, instance(v))
		}
		return vs
	case kindObject:
		vs := map[string]any{}
		for _, m := range members(raw) {
			vs[m.key] = instance(m.value)
		}
		return vs
	}
	return number(string(raw))
}

func number(s string) any {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n
	}
	if n, err := strconv.ParseUint(s, 10, 64); err == nil {
		return n
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil { // out of range: the validator cannot take an infinity
		return math.Copysign(math.MaxFloat64, f)
	}
	return f
}

// appendQuoted appends s as a JSON string. Unlike json.Marshal it leaves <, >
// and & as they are: a model reads it.
func appendQuoted(dst []byte, s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(s) // a string and a buffer cannot fail
	return append(dst, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}

// compact returns valid JSON without the white space between tokens.
func compact(raw []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}
