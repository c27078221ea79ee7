// Package safejson encodes any Go value as JSON: it cannot fail, and it does
// not change values silently.
//
// [Marshal] returns valid JSON for whatever it is given, and never panics. On
// plain values (strings, booleans, numbers, maps, slices and structs of them)
// the bytes are those of encoding/json without HTML escaping; tags and the
// rules of embedded structs are honoured. What encoding/json refuses or
// changes without a word is written so that a reader sees it:
//
//	NaN, ±Inf                                 "NaN", "Infinity", "-Infinity"
//	integers beyond ±(2^53-1)                 a string of all digits
//	big.Int, big.Float, big.Rat               a string of all digits ("1/3")
//	json.Number float64 would change          a string, as written
//	a value inside itself                     "[circular]" at that place
//	deeper than MaxDepth                      "[too deep]" at that place
//	error                                     its message
//	time.Duration                             "1m30s"
//	[]byte                                    the text if it is UTF-8, else "base64:…"
//	func, chan, unsafe.Pointer, complex       "[func]", "[chan]", "[complex 1+2i]"
//	a struct with only unexported fields      its String, else "[opaque pkg.Type]"
//	a method that fails or panics             "[MarshalJSON of pkg.Type failed: …]"
//	a method that writes invalid JSON         "[invalid JSON from pkg.Type: …]"
//	maps with any key                         keys as text, sorted; equal ones numbered
//	a pointer or struct as a key in a key     "[*pkg.Type]"
//	bytes that are no UTF-8, lone surrogates  U+FFFD
//
// A value that is only shared, not circular, is written in full each time. A
// method with a pointer receiver is called wherever the value stands, also
// where encoding/json passes over it.
//
// Out of reach is what ends the process: a method that overflows the stack or
// deadlocks, and a map that somebody writes to meanwhile.
//
// # Limits
//
// What would be larger than MaxBytes is cut, and every cut says so. In an
// object small fields are kept whole before big ones are shortened, and fields
// are dropped last; a list keeps its first elements; a string its beginning:
//
//	"Call me Ishmael. Some …[cut: 1215213 of 1215236 bytes left out]"
//	[1,2,3,"[cut: 97 of 100 items left out]"]
//	{"id":7,"[cut]":"2 of 3 fields left out"}
//
// Methods of a value that has to be cut may be called several times.
package safejson

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
)

// Options bound the output. The zero value works.
type Options struct {
	MaxDepth int // nesting of objects and lists; 0: 64, at most 1000
	MaxBytes int // size of the output; 0: 1 MiB, at least 64
}

const (
	defaultDepth = 64
	defaultBytes = 1 << 20
	maxDepth     = 1000 // keeps the recursion far from the end of the stack
	minBytes     = 64   // room for any mark
)

// Marshal encodes v with the default limits.
func Marshal(v any) []byte {
	e := newEncoder()
	e.buf = Options{}.append(e, e.buf[:0], v)
	out := bytes.Clone(e.buf)
	e.free()
	return out
}

// Append appends the encoding of v to dst.
func (o Options) Append(dst []byte, v any) []byte {
	e := newEncoder()
	dst = o.append(e, dst, v)
	e.free()
	return dst
}

// append is Append with an encoder at hand. It is left unusable by a panic.
func (o Options) append(e *encoder, dst []byte, v any) (out []byte) {
	start := len(dst)
	defer func() {
		if p := recover(); p != nil { // only a fault of this package ends here
			*e = encoder{}
			out = appendString(dst[:start], fmt.Sprintf("[panic: %T]", p))
		}
	}()
	e.maxDepth = limit(o.MaxDepth, defaultDepth, 1, maxDepth)
	room := limit(o.MaxBytes, defaultBytes, minBytes, math.MaxInt-start)
	e.limit = start + room
	if out := e.any(dst, v); !e.over(out) {
		return out
	}
	return e.shorten(dst, codecOf(reflect.TypeOf(v)), reflect.ValueOf(v), room)
}

func limit(n, byDefault, least, most int) int {
	if n == 0 {
		n = byDefault
	}
	return min(max(n, least), most)
}
