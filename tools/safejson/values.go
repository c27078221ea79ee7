package safejson

import (
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"time"
)

func writeBool(_ *encoder, dst []byte, v reflect.Value, _ *codec) []byte {
	return appendBool(dst, v.Bool())
}

func writeInt(_ *encoder, dst []byte, v reflect.Value, _ *codec) []byte {
	return appendInt(dst, v.Int())
}

func writeUint(_ *encoder, dst []byte, v reflect.Value, _ *codec) []byte {
	return appendUint(dst, v.Uint())
}

func writeFloat32(_ *encoder, dst []byte, v reflect.Value, _ *codec) []byte {
	return appendFloat(dst, v.Float(), 32)
}

func writeFloat64(_ *encoder, dst []byte, v reflect.Value, _ *codec) []byte {
	return appendFloat(dst, v.Float(), 64)
}

func writeString(e *encoder, dst []byte, v reflect.Value, _ *codec) []byte {
	return e.string(dst, v.String())
}

func writeNumber(e *encoder, dst []byte, v reflect.Value, _ *codec) []byte {
	return e.number(dst, v.String())
}

func writeBytes(e *encoder, dst []byte, v reflect.Value, _ *codec) []byte {
	if v.IsNil() {
		return append(dst, "null"...)
	}
	return e.bytes(dst, v.Bytes())
}

func writePointer(e *encoder, dst []byte, v reflect.Value, c *codec) []byte {
	if v.IsNil() {
		return append(dst, "null"...)
	}
	if c.elem.shape == scalar || c.elem.shape == text { // cannot lead back
		return c.elem.write(e, dst, v.Elem(), c.elem)
	}
	if mark := e.enter(ref{v.Pointer(), 0, c.typ}); mark != "" {
		return append(dst, mark...)
	}
	dst = c.elem.write(e, dst, v.Elem(), c.elem)
	e.leave()
	return dst
}

func writeInterface(e *encoder, dst []byte, v reflect.Value, _ *codec) []byte {
	switch {
	case v.IsNil():
		return append(dst, "null"...)
	case v.CanInterface():
		return e.any(dst, v.Interface())
	}
	c := codecOf(v.Elem().Type())
	return c.write(e, dst, v.Elem(), c)
}

func writeSlice(e *encoder, dst []byte, v reflect.Value, c *codec) []byte {
	n := v.Len()
	switch {
	case v.IsNil():
		return append(dst, "null"...)
	case n == 0:
		return append(dst, "[]"...)
	}
	if mark := e.open(ref{v.Pointer(), n, c.typ}); mark != "" {
		return append(dst, mark...)
	}
	dst = e.elements(dst, v, n, c.elem)
	e.close()
	return dst
}

func writeArray(e *encoder, dst []byte, v reflect.Value, c *codec) []byte {
	if v.Len() == 0 {
		return append(dst, "[]"...)
	}
	if mark := e.deeper(); mark != "" {
		return append(dst, mark...)
	}
	dst = e.elements(dst, v, v.Len(), c.elem)
	e.depth--
	return dst
}

func (e *encoder) elements(dst []byte, v reflect.Value, n int, elem *codec) []byte {
	dst = append(dst, '[')
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst = elem.write(e, dst, v.Index(i), elem); e.over(dst) {
			break
		}
	}
	return append(dst, ']')
}

func writeStruct(e *encoder, dst []byte, v reflect.Value, c *codec) []byte {
	if mark := e.deeper(); mark != "" {
		return append(dst, mark...)
	}
	dst = append(dst, '{')
	first := true
	for i := range c.fields {
		f := &c.fields[i]
		fv, ok := f.of(v)
		if !ok {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(dst, f.key...)
		if dst = f.write(e, dst, fv); e.over(dst) {
			break
		}
	}
	e.depth--
	return append(dst, '}')
}

// write writes the value of a field, in quotes if its tag asks for them and it
// has none.
func (f *field) write(e *encoder, dst []byte, v reflect.Value) []byte {
	start := len(dst)
	dst = f.codec.write(e, dst, v, f.codec)
	if !f.quoted || e.full {
		return dst
	}
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	written := string(dst[start:])
	switch {
	case written == "null":
		return dst
	case v.Kind() == reflect.String && v.Type() != numberType:
		return appendString(dst[:start], written)
	case strings.HasPrefix(written, `"`):
		return dst
	}
	return append(append(append(dst[:start], '"'), written...), '"')
}

func writeTime(_ *encoder, dst []byte, v reflect.Value, _ *codec) []byte {
	t, ok := as[*time.Time](v)
	if !ok {
		return words(dst, "time.Time")
	}
	dst = append(dst, '"')
	dst = t.AppendFormat(dst, time.RFC3339Nano)
	return append(dst, '"')
}

func writeDuration(_ *encoder, dst []byte, v reflect.Value, _ *codec) []byte {
	return appendString(dst, time.Duration(v.Int()).String())
}

func writeBigInt(e *encoder, dst []byte, v reflect.Value, _ *codec) []byte {
	n, ok := as[*big.Int](v)
	if !ok {
		return words(dst, "big.Int")
	}
	if n.BitLen()/4 > e.limit-len(dst) { // a digit has 3.3 bits
		e.full = true
		return dst
	}
	return append(n.Append(append(dst, '"'), 10), '"')
}

// maxExponent bounds the powers of two that are written in decimal.
const maxExponent = 1 << 15

func writeBigFloat(e *encoder, dst []byte, v reflect.Value, _ *codec) []byte {
	f, ok := as[*big.Float](v)
	switch {
	case !ok:
		return words(dst, "big.Float")
	case f.IsInf():
		return appendFloat(dst, math.Inf(f.Sign()), 64)
	case int(f.MinPrec())/4 > e.limit-len(dst):
		e.full = true
		return dst
	}
	format := byte('g')
	if exp := f.MantExp(nil); exp > maxExponent || exp < -maxExponent {
		format = 'p' // hexadecimal, which is exact and takes no time
	}
	return append(f.Append(append(dst, '"'), format, -1), '"')
}

func writeBigRat(e *encoder, dst []byte, v reflect.Value, _ *codec) []byte {
	r, ok := as[*big.Rat](v)
	if !ok {
		return words(dst, "big.Rat")
	}
	if (r.Num().BitLen()+r.Denom().BitLen())/4 > e.limit-len(dst) {
		e.full = true
		return dst
	}
	return appendString(dst, r.RatString())
}

// writeWord writes what has no JSON at all.
func writeWord(_ *encoder, dst []byte, v reflect.Value, _ *codec) []byte {
	switch v.Kind() {
	case reflect.Complex64, reflect.Complex128:
		return words(dst, "complex %s", strings.Trim(strconv.FormatComplex(v.Complex(), 'g', -1, v.Type().Bits()), "()"))
	case reflect.UnsafePointer:
		return words(dst, "unsafe.Pointer")
	}
	if v.IsNil() {
		return append(dst, "null"...)
	}
	return words(dst, "%s", v.Kind())
}

func writeOpaque(_ *encoder, dst []byte, _ reflect.Value, c *codec) []byte {
	return words(dst, "opaque %s", c.typ)
}
