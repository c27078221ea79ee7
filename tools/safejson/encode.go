package safejson

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

const (
	circular = `"[circular]"`
	tooDeep  = `"[too deep]"`
)

// An encoder is the state of one encoding. Its methods append to dst and return
// it, as the built-in append does.
type encoder struct {
	limit    int  // length of dst that must not be passed
	full     bool // it was: what is in dst will be thrown away
	depth    int  // objects and lists that are open
	maxDepth int
	path     []ref // what is being written, outermost first
	inKey    bool  // it becomes the key of a map

	pairs []pair // scratch of the maps that are being written
	buf   []byte // scratch of Marshal
}

// A ref identifies a value that can contain itself. Two values of different
// types may share an address, as a struct and its first field do, and slices of
// different length an array.
type ref struct {
	ptr uintptr
	len int
	typ reflect.Type
}

// A pair is an entry of a map[string]any.
type pair struct {
	key   string
	value any
}

var encoders = sync.Pool{New: func() any { return new(encoder) }}

func newEncoder() *encoder { return encoders.Get().(*encoder) }

// maxKept bounds the scratch memory that outlives an encoding.
const maxKept = 2 * defaultBytes

func (e *encoder) free() {
	if cap(e.buf) > maxKept {
		e.buf = nil
	}
	if cap(e.pairs) > maxKept/32 {
		e.pairs = nil
	}
	*e = encoder{path: e.path[:0], pairs: e.pairs[:0], buf: e.buf[:0]}
	encoders.Put(e)
}

// over reports whether the output is known not to fit.
func (e *encoder) over(dst []byte) bool {
	if len(dst) > e.limit {
		e.full = true
	}
	return e.full
}

// enter begins a value that may contain itself. If it must not be written, mark
// is what stands in its place and there is no leave.
func (e *encoder) enter(r ref) (mark string) {
	if len(e.path) >= 3*e.maxDepth { // pointers to pointers to pointers…
		return tooDeep
	}
	if slices.Contains(e.path, r) {
		return circular
	}
	e.path = append(e.path, r)
	return ""
}

func (e *encoder) leave() { e.path = e.path[:len(e.path)-1] }

// open begins an object or a list that may contain itself, as enter does.
func (e *encoder) open(r ref) (mark string) {
	if mark := e.enter(r); mark != "" {
		return mark
	}
	if mark := e.deeper(); mark != "" {
		e.leave()
		return mark
	}
	return ""
}

func (e *encoder) close() {
	e.depth--
	e.leave()
}

// deeper begins an object or a list that cannot contain itself: a struct or an
// array, which has no address of its own. Its end is depth--.
func (e *encoder) deeper() (mark string) {
	if e.depth == e.maxDepth {
		return tooDeep
	}
	e.depth++
	return ""
}

var (
	mapAnyType   = reflect.TypeFor[map[string]any]()
	sliceAnyType = reflect.TypeFor[[]any]()
)

// any writes a value. The types that decoded JSON has need no reflection.
func (e *encoder) any(dst []byte, v any) []byte {
	switch x := v.(type) {
	case nil:
		return append(dst, "null"...)
	case string:
		return e.string(dst, x)
	case bool:
		return appendBool(dst, x)
	case float64:
		return appendFloat(dst, x, 64)
	case int:
		return appendInt(dst, int64(x))
	case json.Number:
		return e.number(dst, string(x))
	case map[string]any:
		return e.mapAny(dst, x)
	case []any:
		return e.sliceAny(dst, x, v)
	}
	c := codecOf(reflect.TypeOf(v))
	return c.write(e, dst, reflect.ValueOf(v), c)
}

func (e *encoder) string(dst []byte, s string) []byte {
	if len(s) > e.limit-len(dst) {
		e.full = true
		return dst
	}
	return appendString(dst, s)
}

func (e *encoder) mapAny(dst []byte, m map[string]any) []byte {
	if m == nil {
		return append(dst, "null"...)
	}
	if e.tooMany(dst, len(m)) {
		return dst
	}
	if mark := e.open(ref{reflect.ValueOf(m).Pointer(), 0, mapAnyType}); mark != "" {
		return append(dst, mark...)
	}
	base := len(e.pairs)
	pairs := e.sorted(m)
	dst = append(dst, '{')
	for i, p := range pairs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(e.string(dst, p.key), ':')
		if dst = e.any(dst, p.value); e.over(dst) {
			break
		}
	}
	clear(pairs) // the scratch must not keep values alive
	e.pairs = e.pairs[:base]
	e.close()
	return append(dst, '}')
}

// sorted puts the entries of m on the scratch, in order of their keys. The
// result stays right when the scratch moves.
func (e *encoder) sorted(m map[string]any) []pair {
	base := len(e.pairs)
	valid := true
	for k, v := range m {
		valid = valid && utf8.ValidString(k)
		e.pairs = append(e.pairs, pair{k, v})
	}
	pairs := e.pairs[base:]
	slices.SortFunc(pairs, func(a, b pair) int { return strings.Compare(a.key, b.key) })
	if !valid {
		names := newNames()
		for i := range pairs {
			pairs[i].key = names.unique(pairs[i].key)
		}
	}
	return pairs
}

// tooMany reports whether an object of n members cannot fit: sorting them would
// be for nothing. `"":0` is the shortest.
func (e *encoder) tooMany(dst []byte, n int) bool {
	if n > (e.limit-len(dst))/4 {
		e.full = true
	}
	return e.full
}

// sliceAny writes s, which boxed holds: to box it anew would allocate.
func (e *encoder) sliceAny(dst []byte, s []any, boxed any) []byte {
	switch {
	case s == nil:
		return append(dst, "null"...)
	case len(s) == 0:
		return append(dst, "[]"...)
	}
	if mark := e.open(ref{reflect.ValueOf(boxed).Pointer(), len(s), sliceAnyType}); mark != "" {
		return append(dst, mark...)
	}
	dst = append(dst, '[')
	for i, v := range s {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst = e.any(dst, v); e.over(dst) {
			break
		}
	}
	e.close()
	return append(dst, ']')
}
