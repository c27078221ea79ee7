package safejson

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"sync"
	"time"
)

// A codec is how values of one type are written.
type codec struct {
	write  writer
	shape  shape
	elem   *codec       // of a pointer, list or map
	key    keyWriter    // of a map
	fields []field      // of a struct
	typ    reflect.Type // of the value
	next   *codec       // what to do when the methods cannot be called; nil: nothing
}

// A writer appends the encoding of v, whose codec is c.
type writer func(e *encoder, dst []byte, v reflect.Value, c *codec) []byte

// shape is what can be cut in a value that is too large.
type shape uint8

const (
	leaf    shape = iota // nothing
	scalar               // nothing; a boolean or number that a tag may put in quotes
	text                 // a string
	list                 // elements
	dict                 // entries of a map
	record               // fields of a struct
	pointer              // what it points at
	dynamic              // what is in the interface
	marshal              // JSON that a method wrote
)

// codecs is a cache: the codec of a type is made once.
var codecs sync.Map // reflect.Type → *codec

func codecOf(t reflect.Type) *codec {
	if t == nil {
		return nilCodec
	}
	if c, ok := codecs.Load(t); ok {
		return c.(*codec)
	}
	c, _ := codecs.LoadOrStore(t, builder{}.build(t))
	return c.(*codec)
}

var nilCodec = &codec{write: func(_ *encoder, dst []byte, _ reflect.Value, _ *codec) []byte {
	return append(dst, "null"...)
}}

// A builder holds the codecs that are being made, for types that contain
// themselves. They are seen by others only when all are complete.
type builder map[reflect.Type]*codec

var (
	marshalerType     = reflect.TypeFor[json.Marshaler]()
	textMarshalerType = reflect.TypeFor[encoding.TextMarshaler]()
	errorType         = reflect.TypeFor[error]()
	stringerType      = reflect.TypeFor[fmt.Stringer]()
	numberType        = reflect.TypeFor[json.Number]()
)

// exact returns the writer of a type that is written in a way of its own.
func exact(t reflect.Type) (writer, shape) {
	switch t {
	case reflect.TypeFor[time.Time]():
		return writeTime, leaf
	case reflect.TypeFor[time.Duration]():
		return writeDuration, leaf
	case reflect.TypeFor[big.Int]():
		return writeBigInt, leaf
	case reflect.TypeFor[big.Float]():
		return writeBigFloat, leaf
	case reflect.TypeFor[big.Rat]():
		return writeBigRat, leaf
	case reflect.TypeFor[json.RawMessage]():
		return writeRawMessage, marshal
	case numberType:
		return writeNumber, scalar
	}
	return nil, leaf
}

func (b builder) build(t reflect.Type) *codec {
	if c := b[t]; c != nil {
		return c
	}
	c := &codec{typ: t}
	b[t] = c
	if c.write, c.shape = exact(t); c.write != nil {
		return c
	}
	if write, shape := methods(t); write != nil {
		next := &codec{typ: t}
		b.kind(next, t)
		*c = codec{typ: t, write: write, shape: shape, next: next}
		return c
	}
	b.kind(c, t)
	return c
}

// methods returns the writer that calls a method of t. Those of a pointer type
// are found at what it points at, those of an interface at what is in it.
func methods(t reflect.Type) (writer, shape) {
	switch {
	case t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface:
		return nil, leaf
	case has(t, marshalerType):
		return writeMarshaler, marshal
	case has(t, textMarshalerType):
		return writeTextMarshaler, text
	case has(t, errorType):
		return writeError, text
	case isOpaque(t) && has(t, stringerType):
		return writeStringer, text
	}
	return nil, leaf
}

// has reports whether the method set of *t, and so of t, has the interface.
func has(t, iface reflect.Type) bool { return reflect.PointerTo(t).Implements(iface) }

// kind completes the codec of a type by its kind alone.
func (b builder) kind(c *codec, t reflect.Type) {
	switch t.Kind() {
	case reflect.Bool:
		c.write, c.shape = writeBool, scalar
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		c.write, c.shape = writeInt, scalar
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		c.write, c.shape = writeUint, scalar
	case reflect.Float32:
		c.write, c.shape = writeFloat32, scalar
	case reflect.Float64:
		c.write, c.shape = writeFloat64, scalar
	case reflect.String:
		c.write, c.shape = writeString, text
	case reflect.Pointer:
		c.write, c.shape, c.elem = writePointer, pointer, b.build(t.Elem())
	case reflect.Interface:
		c.write, c.shape = writeInterface, dynamic
	case reflect.Map:
		c.write, c.shape, c.elem, c.key = writeMap, dict, b.build(t.Elem()), keyWriterOf(t.Key())
	case reflect.Slice:
		c.write, c.shape, c.elem = writeSlice, list, b.build(t.Elem())
		if isByte(t.Elem()) {
			c.write, c.shape = writeBytes, text
		}
	case reflect.Array:
		c.write, c.shape, c.elem = writeArray, list, b.build(t.Elem())
	case reflect.Struct:
		b.structure(c, t)
	default: // func, chan, unsafe pointer, complex
		c.write = writeWord
	}
}

// isByte reports whether a slice of t is text or binary data and not a list.
func isByte(t reflect.Type) bool {
	return t.Kind() == reflect.Uint8 && !has(t, marshalerType) && !has(t, textMarshalerType)
}

func (b builder) structure(c *codec, t reflect.Type) {
	if isOpaque(t) {
		c.write = writeOpaque
		return
	}
	c.write, c.shape, c.fields = writeStruct, record, fieldsOf(t)
	for i := range c.fields {
		f := &c.fields[i]
		f.codec = b.build(f.typ)
		f.quoted = f.quoted && quotable(f.codec)
	}
}

// quotable reports whether the string option of a tag has a meaning: for
// booleans, numbers and strings, and pointers to them.
func quotable(c *codec) bool {
	if c.shape == pointer && c.typ.Name() == "" {
		c = c.elem
	}
	return c.shape == scalar || c.shape == text && c.typ.Kind() == reflect.String && c.next == nil
}

// isOpaque reports whether a struct has fields and shows none of them to other
// packages. encoding/json writes {} for it.
func isOpaque(t reflect.Type) bool {
	if t.Kind() != reflect.Struct || t.NumField() == 0 {
		return false
	}
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() || f.Anonymous {
			return false
		}
	}
	return true
}
