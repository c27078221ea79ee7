package safejson

import (
	"encoding"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A keyWriter is the text of a map's key. distinct says that different keys
// have different texts.
type keyWriter struct {
	text     func(e *encoder, k reflect.Value) string
	distinct bool
}

func keyWriterOf(t reflect.Type) keyWriter {
	switch {
	case t.Kind() == reflect.String:
		return keyWriter{func(_ *encoder, k reflect.Value) string { return k.String() }, true}
	case t.Kind() != reflect.Interface && t.Implements(textMarshalerType):
		return keyWriter{textKey, false}
	}
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return keyWriter{func(_ *encoder, k reflect.Value) string { return strconv.FormatInt(k.Int(), 10) }, true}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return keyWriter{func(_ *encoder, k reflect.Value) string { return strconv.FormatUint(k.Uint(), 10) }, true}
	}
	return keyWriter{anyKey, false}
}

func textKey(_ *encoder, k reflect.Value) string {
	if k.Kind() == reflect.Pointer && k.IsNil() {
		return ""
	}
	m, ok := as[encoding.TextMarshaler](k)
	if !ok {
		return "[" + k.Type().String() + "]"
	}
	text, failure := call(m.MarshalText)
	if failure != "" {
		return "[MarshalText of " + k.Type().String() + " " + failure + "]"
	}
	return string(text)
}

// maxKey bounds keys that are values of their own.
const maxKey = 4 << 10

// anyKey is what the key would be as a value, without quotes. Inside a key, one
// that has parts is only its type: keys that lead to maps with such keys, as in
// a graph, would take time without end and leave nothing to read.
func anyKey(e *encoder, k reflect.Value) string {
	if e.inKey && hasParts(k) {
		return "[" + k.Type().String() + "]"
	}
	inner := encoder{limit: maxKey, depth: e.depth, maxDepth: e.maxDepth, path: slices.Clip(e.path), inKey: true}
	c := codecOf(k.Type())
	text := c.write(&inner, nil, k, c)
	switch {
	case inner.over(text):
		return "[" + k.Type().String() + "]"
	case text[0] == '"':
		return unquote(text)
	}
	return string(text)
}

// hasParts reports whether a value is written by way of others.
func hasParts(v reflect.Value) bool {
	for v.Kind() == reflect.Interface {
		if v = v.Elem(); !v.IsValid() {
			return false
		}
	}
	switch codecOf(v.Type()).shape {
	case list, dict, record, pointer:
		return true
	}
	return false
}

// An entry is a key of a map and where its value is.
type entry struct {
	key string
	at  int
}

// entries returns the entries of a map in the order of their keys, and their
// values in a slice of their own: one allocation for all of them.
func (e *encoder) entries(v reflect.Value, c *codec) ([]entry, reflect.Value) {
	n := v.Len()
	sorted := make([]entry, 0, n)
	values := reflect.MakeSlice(reflect.SliceOf(c.elem.typ), n, n)
	key := reflect.New(v.Type().Key()).Elem()
	distinct := c.key.distinct
	var types []string // of keys in interfaces: those of two types may read the same
	for it := v.MapRange(); it.Next() && len(sorted) < n; {
		key.SetIterKey(it)
		values.Index(len(sorted)).SetIterValue(it)
		text := c.key.text(e, key)
		distinct = distinct && utf8.ValidString(text)
		if key.Kind() == reflect.Interface {
			types = append(types, dynamicType(key))
		}
		sorted = append(sorted, entry{text, len(sorted)})
	}
	slices.SortFunc(sorted, func(a, b entry) int {
		n := strings.Compare(a.key, b.key)
		if n == 0 && types != nil {
			n = strings.Compare(types[a.at], types[b.at])
		}
		return n
	})
	if !distinct {
		ns := newNames()
		for i := range sorted {
			sorted[i].key = ns.unique(sorted[i].key)
		}
	}
	return sorted, values
}

func dynamicType(v reflect.Value) string {
	if v.IsNil() {
		return ""
	}
	return v.Elem().Type().String()
}

func writeMap(e *encoder, dst []byte, v reflect.Value, c *codec) []byte {
	if v.IsNil() {
		return append(dst, "null"...)
	}
	if v.Len() == 0 {
		return append(dst, "{}"...)
	}
	if e.tooMany(dst, v.Len()) {
		return dst
	}
	if mark := e.open(ref{v.Pointer(), 0, c.typ}); mark != "" {
		return append(dst, mark...)
	}
	entries, values := e.entries(v, c)
	dst = append(dst, '{')
	for i, entry := range entries {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(e.string(dst, entry.key), ':')
		if dst = c.elem.write(e, dst, values.Index(entry.at), c.elem); e.over(dst) {
			break
		}
	}
	e.close()
	return append(dst, '}')
}
