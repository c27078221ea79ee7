package safejson

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"reflect"
	"slices"
	"unicode/utf8"
)

const (
	// cutMark stands for a value of which nothing could be kept.
	cutMark = `"[cut]"`

	// minShare is the least that a field gets that has to be shortened: fewer
	// bytes would hold little more than the mark.
	minShare = 96
)

// fit writes v, or as much of it as there is room for.
func (e *encoder) fit(dst []byte, c *codec, v reflect.Value, room int) []byte {
	if out, ok := e.try(dst, c, v, room); ok {
		return out
	}
	return e.shorten(dst, c, v, room)
}

// shorten writes what there is room for of a value that is too large.
func (e *encoder) shorten(dst []byte, c *codec, v reflect.Value, room int) []byte {
	switch c.shape {
	case pointer:
		if mark := e.enter(ref{v.Pointer(), 0, c.typ}); mark != "" {
			return append(dst, mark...)
		}
		defer e.leave()
		return e.shorten(dst, c.elem, v.Elem(), room)
	case dynamic:
		return e.shorten(dst, codecOf(v.Elem().Type()), v.Elem(), room)
	case text:
		return e.fitText(dst, c, v, room)
	case list:
		return e.fitList(dst, c, v, room)
	case dict, record:
		return e.fitObject(dst, c, v, room)
	case marshal:
		if value, ok := e.decoded(v, c); ok && value != nil {
			return e.fit(dst, codecOf(reflect.TypeOf(value)), reflect.ValueOf(value), room)
		}
	}
	return append(dst, cutMark...)
}

// try writes the whole of v if it fits into the room.
func (e *encoder) try(dst []byte, c *codec, v reflect.Value, room int) ([]byte, bool) {
	e.limit, e.full = len(dst)+room, false
	out := c.write(e, dst, v, c)
	return out, !e.over(out)
}

// fitText writes the beginning of a string.
func (e *encoder) fitText(dst []byte, c *codec, v reflect.Value, room int) []byte {
	s, total := e.textOf(c, v, room)
	mark := fmt.Sprintf("…[cut: %d of %d bytes left out]", total, total)
	n := fitting(s, room-len(`""`)-len(mark))
	if n == 0 {
		return append(dst, cutMark...)
	}
	return appendString(dst, s[:n]+fmt.Sprintf("…[cut: %d of %d bytes left out]", total-n, total))
}

// textOf returns enough of the text of v to fill the room, and the length of
// all of it.
func (e *encoder) textOf(c *codec, v reflect.Value, room int) (s string, total int) {
	switch {
	case c.next != nil: // a method's
	case v.Kind() == reflect.String:
		return v.String(), v.Len()
	case utf8.Valid(v.Bytes()):
		b := v.Bytes()
		return string(b[:min(room, len(b))]), len(b)
	default:
		b := v.Bytes()
		const prefix = "base64:"
		head := prefix + base64.StdEncoding.EncodeToString(b[:min(room, len(b))])
		return head, len(prefix) + base64.StdEncoding.EncodedLen(len(b))
	}
	unlimited := encoder{limit: maxRaw, maxDepth: e.maxDepth}
	written := c.write(&unlimited, nil, v, c)
	if unlimited.full {
		return "", 0
	}
	s = unquote(written)
	return s, len(s)
}

// fitting returns how many bytes of s, whole runes, take at most room bytes
// when they are written.
func fitting(s string, room int) int {
	n := 0
	for n < len(s) {
		escape, size := escapeOf(s, n)
		if room -= max(len(escape), size); room < 0 {
			break
		}
		n += size
	}
	return n
}

// fitList writes the first elements. One that is larger than half of the room
// is shortened; the first other that does not fit ends the list.
func (e *encoder) fitList(dst []byte, c *codec, v reflect.Value, room int) []byte {
	mark, end := e.begin(c, v)
	if mark != "" {
		return append(dst, mark...)
	}
	defer end()
	start, n := len(dst), v.Len()
	last := start + room - len(itemsLeftOut(n, n)) - len("[]")
	dst = append(dst, '[')
	kept := 0
	for ; kept < n; kept++ {
		out, ok := e.fitElement(dst, c.elem, v.Index(kept), last, n-kept-1, room)
		if !ok {
			break
		}
		dst = out
	}
	switch left := n - kept; {
	case left == n:
		return appendNothing(dst[:start], "list", n, room)
	case left > 0:
		dst = append(dst, itemsLeftOut(left, n)...)
	}
	return append(dst, ']')
}

func itemsLeftOut(left, of int) string {
	return fmt.Sprintf(`,"[cut: %d of %d items left out]"`, left, of)
}

// fitElement writes one element of a list, up to the length last of dst, when
// more elements follow.
func (e *encoder) fitElement(dst []byte, elem *codec, v reflect.Value, last, more, room int) ([]byte, bool) {
	if dst[len(dst)-1] != '[' {
		dst = append(dst, ',')
	}
	left := last - len(dst)
	if left <= 0 {
		return dst, false
	}
	if out, ok := e.try(dst, elem, v, left); ok {
		return out, true
	}
	share := max(left/2, left-more*minShare)
	if share < minShare {
		return dst, false
	}
	if left < room/2 {
		if _, ok := e.try(dst, elem, v, room/2); ok {
			return dst, false
		}
	}
	return e.shorten(dst, elem, v, share), true
}

// A part is a member of an object that has to be cut.
type part struct {
	key   []byte // and the colon
	codec *codec
	value reflect.Value
	field *field // of a struct
	text  []byte // what is written for the value; nil: the member is left out
}

// overhead is what the member takes beside its value.
func (p *part) overhead() int { return len(p.key) + len(",") }

// size is what the member takes.
func (p *part) size() int { return p.overhead() + len(p.text) }

// fitObject writes an object: see share.
func (e *encoder) fitObject(dst []byte, c *codec, v reflect.Value, room int) []byte {
	mark, end := e.begin(c, v)
	if mark != "" {
		return append(dst, mark...)
	}
	defer end()
	start := len(dst)
	parts, n := e.parts(c, v, room)
	key := cutKey(parts)
	e.share(parts, room-len(fieldsLeftOut(key, n, n))-len("{}"))
	dst = append(dst, '{')
	kept := 0
	for _, p := range parts {
		if p.text == nil {
			continue
		}
		if kept++; kept > 1 {
			dst = append(dst, ',')
		}
		dst = append(append(dst, p.key...), p.text...)
	}
	switch left := n - kept; {
	case kept == 0:
		return appendNothing(dst[:start], "object", n, room)
	case left > 0:
		dst = append(dst, fieldsLeftOut(key, left, n)...)
	}
	return append(dst, '}')
}

func fieldsLeftOut(key string, left, of int) string {
	return fmt.Sprintf(`,%s:"%d of %d fields left out"`, key, left, of)
}

// cutKey is a key that no part has.
func cutKey(parts []part) string {
	taken := make(map[string]bool)
	for _, p := range parts {
		if bytes.HasPrefix(p.key, []byte(`"[cut`)) {
			taken[string(p.key)] = true
		}
	}
	key := `"[cut]"`
	for n := 2; taken[key+":"]; n++ {
		key = fmt.Sprintf(`"[cut %d]"`, n)
	}
	return key
}

// appendNothing stands for an object or list of which nothing could be kept.
func appendNothing(dst []byte, what string, n, room int) []byte {
	text := fmt.Sprintf(`"[cut: %s of %d]"`, what, n)
	if len(text) > room {
		text = cutMark
	}
	return append(dst, text...)
}

// share decides what is written for each part. Those that fit into an equal
// share of the room are kept whole; what they leave goes to the others, again
// and again. The ones that remain are shortened to their share, or, when the
// shares become too small to hold anything, kept whole from the smallest up.
func (e *encoder) share(parts []part, room int) {
	waiting := make([]*part, len(parts))
	for i := range parts {
		waiting[i] = &parts[i]
	}
	for before := -1; before != len(waiting) && len(waiting) > 0; {
		before = len(waiting)
		waiting, room = e.keep(waiting, room/before, room)
	}
	if len(waiting) > 0 && room/len(waiting) < minShare {
		waiting, room = e.keepSmallest(waiting, room)
	}
	marks := 0 // what the parts still to come take at least
	for _, p := range waiting {
		marks += p.overhead() + len(cutMark)
	}
	for i, p := range waiting {
		least := p.overhead() + len(cutMark)
		marks -= least
		spare := room - marks
		if spare < least { // there is not even room for all the marks
			spare = room
		}
		each := max(room/(len(waiting)-i), min(minShare, spare))
		if each >= least {
			p.text = e.fitPart(p, each-p.overhead())
			room -= p.size()
		}
	}
}

// keep keeps the parts that are no larger than each. It returns the others and
// the room that is left.
func (e *encoder) keep(parts []*part, each, room int) ([]*part, int) {
	larger := parts[:0]
	for _, p := range parts {
		if text, ok := e.tryPart(p, each-p.overhead()); ok {
			p.text = text
			room -= p.size()
		} else {
			larger = append(larger, p)
		}
	}
	return larger, room
}

// keepSmallest keeps as many parts as there is room for, the smallest first.
func (e *encoder) keepSmallest(parts []*part, room int) ([]*part, int) {
	var small, larger []*part
	for _, p := range parts {
		if text, ok := e.tryPart(p, minShare-p.overhead()); ok {
			p.text = text
			small = append(small, p)
		} else {
			larger = append(larger, p)
		}
	}
	slices.SortStableFunc(small, func(a, b *part) int { return cmp.Compare(a.size(), b.size()) })
	for _, p := range small {
		if p.size() > room {
			p.text = nil
			continue
		}
		room -= p.size()
	}
	return larger, room
}

func (e *encoder) tryPart(p *part, room int) ([]byte, bool) {
	if room <= 0 {
		return nil, false
	}
	if p.field == nil {
		return e.try(nil, p.codec, p.value, room)
	}
	e.limit, e.full = room, false
	text := p.field.write(e, nil, p.value)
	return text, !e.over(text)
}

func (e *encoder) fitPart(p *part, room int) []byte {
	if text, ok := e.tryPart(p, room); ok {
		return text
	}
	if p.field != nil && p.field.quoted {
		return []byte(cutMark)
	}
	return e.shorten(nil, p.codec, p.value, room)
}

// parts returns the members of an object, no more than there are bytes for, and
// how many there are.
func (e *encoder) parts(c *codec, v reflect.Value, room int) (parts []part, n int) {
	if c.shape == record {
		for i := range c.fields {
			f := &c.fields[i]
			if fv, ok := f.of(v); ok {
				parts = append(parts, part{key: f.key, codec: f.codec, value: fv, field: f})
			}
		}
		return parts, len(parts)
	}
	entries, values := e.entries(v, c)
	var tooLong []byte // stands for every key that cannot be kept
	for _, entry := range entries[:min(len(entries), room)] {
		key := tooLong
		switch {
		case len(entry.key) < room:
			key = append(appendString(nil, entry.key), ':')
		case tooLong == nil:
			tooLong = bytes.Repeat([]byte(" "), room)
			key = tooLong
		}
		parts = append(parts, part{key: key, codec: c.elem, value: values.Index(entry.at)})
	}
	return parts, len(entries)
}

// begin opens the object or list that v is; end closes it. If it must not be
// written, mark is what stands in its place.
func (e *encoder) begin(c *codec, v reflect.Value) (mark string, end func()) {
	switch v.Kind() {
	case reflect.Map:
		return e.open(ref{v.Pointer(), 0, c.typ}), e.close
	case reflect.Slice:
		return e.open(ref{v.Pointer(), v.Len(), c.typ}), e.close
	}
	return e.deeper(), func() { e.depth-- }
}
