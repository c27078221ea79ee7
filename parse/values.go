package parse

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"unicode/utf8"
)

// Values returns the decoded arguments: strings, bools, nil, []any and
// map[string]any as package encoding/json decodes them, numbers as
// [json.Number] with the digits that the model wrote. It decodes anew each time,
// and what it returns is the caller's. It returns nil if Args is not one JSON
// object; those of a call that this package read always are.
func (c Call) Values() map[string]any {
	d := decoder{c: view(c.Args)}
	v, ok := d.decode()
	if !ok {
		dec := json.NewDecoder(bytes.NewReader(c.Args)) // JSON of another writer
		dec.UseNumber()
		if dec.Decode(&v) != nil || dec.Decode(new(any)) != io.EOF {
			return nil
		}
	}
	values, _ := v.(map[string]any)
	return values
}

// A decoder decodes canonical JSON. What it returns shares no memory with it.
type decoder struct {
	c     string
	i     int // the next byte
	open  []container
	wrong bool // it is not canonical
}

// container is an object or a list that is being decoded.
type container struct {
	object map[string]any // nil for a list
	list   []any
	key    string // of the value to come
}

// decode returns the value that c is.
func (d *decoder) decode() (any, bool) {
	for d.i < len(d.c) && !d.wrong {
		v, ended := d.begin()
		for ended && !d.wrong {
			if len(d.open) == 0 {
				return v, d.i == len(d.c)
			}
			v, ended = d.put(v)
		}
	}
	return nil, false
}

// begin reads a value, or what opens one and the first key in it; ended says
// which.
func (d *decoder) begin() (v any, ended bool) {
	switch c := d.c[d.i]; c {
	case '{':
		if d.skip("{}") {
			return map[string]any{}, true
		}
		d.i++
		d.open = append(d.open, container{object: map[string]any{}, key: d.key()})
		return nil, false
	case '[':
		if d.skip("[]") {
			return []any{}, true
		}
		d.i++
		d.open = append(d.open, container{})
		return nil, false
	case '"':
		return d.str(), true
	}
	switch {
	case d.skip("true"):
		return true, true
	case d.skip("false"):
		return false, true
	case d.skip("null"):
		return nil, true
	}
	n := numberLen(d.c[d.i:])
	d.i += n
	d.wrong = d.wrong || n == 0
	return json.Number(strings.Clone(d.c[d.i-n : d.i])), true
}

// put puts a value into the innermost container, and reads what follows. If
// that ends the container, it is the next value that ended.
func (d *decoder) put(v any) (outer any, ended bool) {
	top := &d.open[len(d.open)-1]
	if top.object != nil {
		top.object[top.key] = v
		if d.skip(",") {
			top.key = d.key()
			return nil, false
		}
		d.expect("}")
		outer = top.object
	} else {
		top.list = append(top.list, v)
		if d.skip(",") {
			return nil, false
		}
		d.expect("]")
		outer = top.list
	}
	d.open = d.open[:len(d.open)-1]
	return outer, true
}

// skip passes over what the rest begins with, if it does.
func (d *decoder) skip(what string) bool {
	if !strings.HasPrefix(d.c[d.i:], what) {
		return false
	}
	d.i += len(what)
	return true
}

func (d *decoder) expect(what string) { d.wrong = !d.skip(what) || d.wrong }

// key reads a key and its colon.
func (d *decoder) key() string {
	key := d.str()
	d.expect(":")
	return key
}

// str reads a string.
func (d *decoder) str() string {
	d.expect(`"`)
	start, escapes := d.i, false
	for i := start; ; i++ {
		i = asciiStops.Index(d.c, i)
		switch {
		case i < len(d.c) && d.c[i] == '"':
			d.i = i + 1
			s, ok := d.c[start:i], true
			if escapes {
				s, ok = unescaped(s)
			} else {
				s = strings.Clone(s)
			}
			d.wrong = d.wrong || !ok || !utf8.ValidString(s)
			return s
		case i+1 < len(d.c) && d.c[i] == '\\':
			escapes = true
			i++
		default:
			d.wrong = true
			return ""
		}
	}
}

// unescaped returns the value of the body of a canonical JSON string.
func unescaped(s string) (value string, ok bool) {
	b := make([]byte, 0, len(s))
	for {
		i := strings.IndexByte(s, '\\')
		if i < 0 {
			b = append(b, s...)
			return view(b), true
		}
		b = append(b, s[:i]...)
		c := s[i+1]
		s = s[i+2:]
		switch c {
		case '"', '\\':
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'u': // of control characters only
			v := hex4(s)
			if v < 0 || v >= ' ' {
				return "", false
			}
			c, s = byte(v), s[4:]
		default:
			return "", false
		}
		b = append(b, c)
	}
}
