package safejson

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// A field is a member of the object that a struct becomes.
type field struct {
	name   string
	key    []byte // the name as JSON, and the colon
	typ    reflect.Type
	index  []int // path to it through embedded structs
	tagged bool  // the name stands in a tag

	omitEmpty bool
	omitZero  bool
	quoted    bool // as a string
	codec     *codec
}

// fieldsOf returns the members of a struct by the rules of encoding/json. The
// fields of an embedded struct without a name in its tag belong to the outer
// one; of several with one name the least nested wins, then a tagged one;
// if that leaves more than one, none does.
func fieldsOf(t reflect.Type) []field {
	all := candidates(t)
	slices.SortStableFunc(all, func(a, b field) int {
		return cmp.Or(strings.Compare(a.name, b.name), cmp.Compare(len(a.index), len(b.index)), cmp.Compare(rank(a), rank(b)))
	})
	var fields []field
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].name == all[0].name {
			n++
		}
		if n == 1 || len(all[1].index) > len(all[0].index) || rank(all[1]) > rank(all[0]) {
			fields = append(fields, all[0])
		}
		all = all[n:]
	}
	slices.SortFunc(fields, func(a, b field) int { return slices.Compare(a.index, b.index) })
	return fields
}

func rank(f field) int {
	if f.tagged {
		return 0
	}
	return 1
}

// candidates walks a struct and those embedded in it, level by level. A struct
// embedded twice on one level stands twice, so that its fields cancel out; one
// met on an outer level is hidden.
func candidates(t reflect.Type) []field {
	type embedded struct {
		typ   reflect.Type
		index []int
		twice bool
	}
	var all []field
	seen := map[reflect.Type]bool{}
	for level := []embedded{{typ: t}}; len(level) > 0; {
		var next []embedded
		for _, in := range level {
			if seen[in.typ] {
				continue
			}
			seen[in.typ] = true
			for i := range in.typ.NumField() {
				f, inner, ok := readField(in.typ.Field(i), append(slices.Clip(in.index), i))
				switch {
				case !ok:
				case inner == nil:
					all = append(all, f)
					if in.twice {
						all = append(all, f)
					}
				default:
					at := slices.IndexFunc(next, func(e embedded) bool { return e.typ == inner })
					if at >= 0 {
						next[at].twice = true
					} else {
						next = append(next, embedded{typ: inner, index: f.index})
					}
				}
			}
		}
		level = next
	}
	return all
}

// readField reads the tag of a field. inner is the embedded struct whose fields
// stand for it, if so.
func readField(sf reflect.StructField, index []int) (f field, inner reflect.Type, ok bool) {
	target := sf.Type
	if target.Kind() == reflect.Pointer && target.Name() == "" {
		target = target.Elem()
	}
	if !sf.IsExported() && !(sf.Anonymous && target.Kind() == reflect.Struct) {
		return field{}, nil, false
	}
	tag := sf.Tag.Get("json")
	if tag == "-" {
		return field{}, nil, false
	}
	name, options, _ := strings.Cut(tag, ",")
	if !isName(name) {
		name = ""
	}
	f = field{name: cmp.Or(name, sf.Name), typ: sf.Type, index: index, tagged: name != ""}
	if sf.Anonymous && name == "" && target.Kind() == reflect.Struct {
		return f, target, true
	}
	for option := range strings.SplitSeq(options, ",") {
		switch option {
		case "omitempty":
			f.omitEmpty = true
		case "omitzero":
			f.omitZero = true
		case "string":
			f.quoted = true
		}
	}
	f.key = append(appendString(nil, f.name), ':')
	return f, nil, true
}

// isName reports whether encoding/json takes s for a name in a tag.
func isName(s string) bool {
	for _, r := range s {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return false
		}
	}
	return s != ""
}

// of returns the field of v, and whether it is written.
func (f *field) of(v reflect.Value) (reflect.Value, bool) {
	for i, n := range f.index {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return v, false
			}
			v = v.Elem()
		}
		v = v.Field(n)
	}
	return v, !(f.omitEmpty && isEmpty(v) || f.omitZero && isZero(v))
}

func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct, reflect.Func, reflect.Chan, reflect.UnsafePointer, reflect.Complex64, reflect.Complex128:
		return false
	}
	return v.IsZero()
}

type zeroer interface{ IsZero() bool }

// isZero asks the value's own IsZero method, if its type has one.
func isZero(v reflect.Value) (zero bool) {
	target := v
	if v.Kind() == reflect.Interface {
		if target = v.Elem(); !v.Type().Implements(reflect.TypeFor[zeroer]()) {
			return v.IsNil()
		}
	}
	if target.Kind() == reflect.Pointer && target.IsNil() || !target.IsValid() {
		return true
	}
	z, ok := as[zeroer](v)
	if !ok {
		return v.IsZero()
	}
	defer func() {
		if recover() != nil {
			zero = false // the value is written, and says itself what is wrong
		}
	}()
	return z.IsZero()
}
