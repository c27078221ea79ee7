package safejson

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/localagent/localagent/tools/internal/cut"
)

// as returns v as a T, which its type has or its address: of a value without
// one, that of a copy. It fails for what reflection may not hand out.
func as[T any](v reflect.Value) (T, bool) {
	var none T
	if !v.CanInterface() {
		return none, false
	}
	if k := v.Kind(); k != reflect.Pointer && k != reflect.Interface {
		if !v.CanAddr() {
			if t, ok := v.Interface().(T); ok {
				return t, true
			}
			c := reflect.New(v.Type())
			c.Elem().Set(v)
			v = c.Elem()
		}
		v = v.Addr()
	}
	t, ok := v.Interface().(T)
	return t, ok
}

// maxReason bounds what a bracketed word says about a failure.
const maxReason = 200

func writeMarshaler(e *encoder, dst []byte, v reflect.Value, c *codec) []byte {
	m, ok := as[json.Marshaler](v)
	if !ok {
		return c.next.write(e, dst, v, c.next)
	}
	raw, failure := call(m.MarshalJSON)
	if failure != "" {
		return words(dst, "MarshalJSON of %s %s", c.typ, failure)
	}
	return e.raw(dst, raw, c)
}

func writeTextMarshaler(e *encoder, dst []byte, v reflect.Value, c *codec) []byte {
	m, ok := as[encoding.TextMarshaler](v)
	if !ok {
		return c.next.write(e, dst, v, c.next)
	}
	text, failure := call(m.MarshalText)
	if failure != "" {
		return words(dst, "MarshalText of %s %s", c.typ, failure)
	}
	return e.string(dst, string(text))
}

func writeError(e *encoder, dst []byte, v reflect.Value, c *codec) []byte {
	m, ok := as[error](v)
	if !ok {
		return c.next.write(e, dst, v, c.next)
	}
	return e.spoken(dst, m.Error, "Error", c)
}

func writeStringer(e *encoder, dst []byte, v reflect.Value, c *codec) []byte {
	m, ok := as[fmt.Stringer](v)
	if !ok {
		return c.next.write(e, dst, v, c.next)
	}
	return e.spoken(dst, m.String, "String", c)
}

// spoken writes what a method without an error says.
func (e *encoder) spoken(dst []byte, method func() string, name string, c *codec) []byte {
	text, failure := call(func() (string, error) { return method(), nil })
	if failure != "" {
		return words(dst, "%s of %s %s", name, c.typ, failure)
	}
	return e.string(dst, text)
}

// call calls a method that may fail or panic, and says what went wrong.
func call[T any](method func() (T, error)) (result T, failure string) {
	defer func() {
		if p := recover(); p != nil {
			failure = "panicked: " + describe(p)
		}
	}()
	result, err := method()
	if err != nil {
		failure = "failed: " + describe(err)
	}
	return result, failure
}

// describe is the text of an error or of a panic, whose own method may panic.
func describe(p any) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("%T", p)
		}
	}()
	if err, ok := p.(error); ok {
		return clip(err.Error())
	}
	return clip(fmt.Sprint(p))
}

// clip shortens a reason, between runes.
func clip[S string | []byte](s S) string {
	if len(s) <= maxReason {
		return string(s)
	}
	return string(s[:cut.End(s, maxReason)]) + "…"
}
