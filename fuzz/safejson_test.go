package fuzz_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/localagent/localagent/tools/safejson"
)

// A maker turns fuzz data into a Go value: each byte decides something, and
// when they run out every choice is the first one, which ends the value.
type maker struct {
	data  []byte
	made  []any // earlier values, to be shared or closed into a cycle
	depth int
}

func (m *maker) byte() int {
	if len(m.data) == 0 {
		return 0
	}
	b := m.data[0]
	m.data = m.data[1:]
	return int(b)
}

func (m *maker) text() string {
	n := min(m.byte()%24, len(m.data))
	s := string(m.data[:n])
	m.data = m.data[n:]
	return s
}

func (m *maker) uint64() (n uint64) {
	for range m.byte() % 9 {
		n = n<<8 | uint64(m.byte())
	}
	return n
}

// plain makes a value that encoding/json encodes without loss.
func (m *maker) plain() any {
	if m.depth++; m.depth > 40 {
		return "deep"
	}
	defer func() { m.depth-- }()
	switch m.byte() % 18 {
	default:
		return nil
	case 1:
		return m.byte()%2 == 0
	case 2:
		return m.text()
	case 3:
		if f := math.Float64frombits(m.uint64()); !math.IsNaN(f) && !math.IsInf(f, 0) {
			return f
		}
		return 0.1
	case 4:
		return int64(m.uint64()) >> 11
	case 5:
		return uint64(m.uint64()) >> 11
	case 6:
		list := []any{}
		for range m.byte() % 6 {
			list = append(list, m.plain())
		}
		return list
	case 7:
		object := map[string]any{}
		for range m.byte() % 6 {
			object[strings.ToValidUTF8(m.text(), "?")] = m.plain()
		}
		return object
	case 8:
		return []string{m.text(), m.text()}
	case 9:
		return map[int]string{m.byte(): m.text(), -m.byte(): m.text()}
	case 10:
		if f := math.Float32frombits(uint32(m.uint64())); f == f && f-f == 0 {
			return f
		}
		return float32(1e-7)
	case 11:
		v := m.plain()
		return &v
	case 12:
		return [2]any{m.plain(), m.plain()}
	case 13:
		return []any(nil)
	case 14:
		return m.structure()
	case 15:
		return int8(m.byte())
	case 16:
		return map[string][]int{strings.ToValidUTF8(m.text(), "?"): {m.byte(), m.byte()}}
	case 17:
		return outer{inner: inner{A: m.byte(), B: m.text()}, Deep: &Deep{A: m.text(), C: m.plain()}, B: m.byte()}
	}
}

type inner struct {
	A int
	B string `json:"b,omitempty"`
}

type Deep struct {
	A string
	C any `json:"c,omitzero"`
}

// outer has fields of one name on different levels.
type outer struct {
	inner
	*Deep
	B int `json:"b"`
}

// tagged has a field for each option of a tag.
type tagged struct {
	Plain    any
	Named    any            `json:"x"`
	Odd      any            `json:"<ü&>"`
	Hidden   any            `json:"-"`
	Empty    any            `json:",omitempty"`
	Zero     any            `json:",omitzero"`
	List     []any          `json:"list,omitempty"`
	Object   map[string]any `json:"object,omitzero"`
	Int      int            `json:",string"`
	Float    float64        `json:"float,string,omitempty"`
	Text     string         `json:",string"`
	Bool     *bool          `json:",string"`
	Bytes    [3]byte
	Pointers []*int
	Twice    ***string `json:",omitempty"`
	inner
}

// structure makes a struct or a pointer to one.
func (m *maker) structure() any {
	n, text := m.byte(), m.text()
	p := &text
	pp := &p
	s := tagged{
		Plain: m.plain(), Named: m.plain(), Odd: m.plain(), Hidden: m.plain(),
		Int: n, Float: float64(m.byte()) / 8, Text: m.text(), Bytes: [3]byte{1, byte(n)}, Pointers: []*int{nil, &n},
		inner: inner{B: text},
	}
	if n%2 == 0 {
		yes := n%4 == 0
		s.Empty, s.Zero, s.List, s.Object, s.Bool, s.Twice = m.plain(), m.plain(), []any{m.plain()}, map[string]any{"": m.plain()}, &yes, &pp
	}
	if n%3 == 0 {
		return &s
	}
	return s
}

type failing struct{ how int }

func (f failing) MarshalJSON() ([]byte, error) {
	switch f.how % 4 {
	case 0:
		return nil, errors.New("no")
	case 1:
		panic("no")
	case 2:
		return []byte(`{"a":1,"a":"\ud800"}x`), nil
	}
	return []byte("[1, \"\xff\"]"), nil
}

type speaking struct{ text string }

func (s speaking) MarshalText() ([]byte, error) { return []byte(s.text), nil }

type opaque struct{ n int }

func (o *opaque) String() string { panic(o.n) }

type linked struct {
	Next  *linked
	Other any `json:",omitempty"`
}

// hostile makes any value at all, also one that contains itself.
func (m *maker) hostile() any {
	if m.depth++; m.depth > 200 {
		return "deep"
	}
	defer func() { m.depth-- }()
	v := m.hostileOf(m.byte() % 26)
	m.made = append(m.made, v)
	return v
}

func (m *maker) hostileOf(choice int) any {
	switch choice {
	default:
		return m.plain()
	case 1:
		return math.Inf(m.byte()%2*2 - 1)
	case 2:
		return m.uint64()
	case 3:
		return new(big.Int).SetBytes([]byte(m.text()))
	case 4:
		return json.Number(m.text())
	case 5:
		return json.RawMessage(m.text())
	case 6:
		return []byte(m.text())
	case 7:
		return errors.New(m.text())
	case 8:
		return time.Unix(int64(m.uint64()), 0).UTC()
	case 9:
		return failing{m.byte()}
	case 10:
		return speaking{m.text()}
	case 11:
		return []any{func() {}, make(chan int), complex(1, 2), opaque{1}, &opaque{2}}
	case 12:
		return map[any]any{m.text(): m.hostile(), m.byte(): m.hostile(), float64(m.byte()): 1, true: 1, speaking{m.text()}: 1}
	case 13:
		object := map[string]any{}
		for range m.byte() % 6 {
			object[m.text()] = m.hostile()
		}
		object["self"] = object
		return object
	case 14:
		l := &linked{}
		l.Next, l.Other = l, m.hostile()
		return l
	case 15:
		list := []any{nil, m.hostile(), nil}
		list[0], list[2] = list, list[:2]
		return list
	case 16:
		if len(m.made) > 0 {
			return m.made[m.byte()%len(m.made)]
		}
		return nil
	case 17:
		var v any
		v = &v
		return v
	case 18:
		v := m.hostile()
		for range m.byte() {
			v = []any{v}
		}
		return v
	case 19:
		v := m.hostile()
		for range m.byte() % 70 {
			v = []any{v, v} // too much to be written in full
		}
		return v
	case 20:
		return strings.Repeat(m.text(), m.byte())
	case 21:
		return map[speaking]any{{m.text()}: 1, {m.text()}: m.hostile()}
	case 22:
		return struct {
			A any `json:",omitempty"`
			B failing
			C time.Duration `json:",string"`
			D *big.Rat
		}{m.hostile(), failing{m.byte()}, time.Duration(m.uint64()), big.NewRat(int64(m.byte()), 7)}
	case 23:
		return []failing{{m.byte()}, {m.byte()}}
	case 24:
		return map[float64]int{float64(m.byte()): 1, math.Inf(1): 2}
	case 25:
		v := m.hostile()
		for range m.byte() {
			p := v
			v = &p
		}
		return v
	}
}

// strict reports what is wrong with a JSON text by a parser that allows neither
// invalid UTF-8 nor half surrogates. Ready-made JSON may repeat names: it is
// passed on.
func strict(text []byte, repeats bool) error {
	d := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(repeats))
	if err := d.SkipValue(); err != nil {
		return err
	}
	if rest := text[d.InputOffset():]; len(rest) > 0 {
		return fmt.Errorf("%q after the value", rest)
	}
	return nil
}

// nesting is how deep objects and lists are nested.
func nesting(text []byte) (deepest int) {
	d := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true))
	for {
		if _, err := d.ReadToken(); err != nil {
			return deepest
		}
		deepest = max(deepest, d.StackDepth())
	}
}

// FuzzSafeJSONValid: whatever the value, the output is valid JSON within both
// limits, and the same each time.
func FuzzSafeJSONValid(f *testing.F) {
	for choice := range 26 {
		f.Add([]byte{byte(choice), 3, 'a', 'b', 'c', 7, 3, 1, 'k', 2, 1, 'v'}, 1<<14, 0)
		f.Add([]byte{13, 3, 1, 'a', byte(choice), 9, 0xff, 0xed, 0xa0, 0x80, 1, 2, 3, 4}, 100, 5)
	}
	f.Add(bytes.Repeat([]byte{18, 255}, 40), 1000, 1000)
	f.Add(append([]byte{19, 69}, "text"...), 5000, 100)
	f.Fuzz(func(t *testing.T, data []byte, maxBytes, maxDepth int) {
		if maxBytes < 1 || maxBytes > 1<<15 || maxDepth < 0 || maxDepth > 2000 {
			return
		}
		o := safejson.Options{MaxBytes: maxBytes, MaxDepth: maxDepth}
		m := &maker{data: data}
		v := m.hostile()
		prefix := []byte("before ")
		out := o.Append(bytes.Clone(prefix), v)
		if !bytes.HasPrefix(out, prefix) {
			t.Fatalf("the prefix was changed: %q", out)
		}
		out = out[len(prefix):]
		if err := strict(out, true); err != nil || !json.Valid(out) {
			t.Fatalf("%v\n%s", err, out)
		}
		if limit := max(maxBytes, 64); len(out) > limit {
			t.Fatalf("%d bytes, want at most %d\n%s", len(out), limit, out)
		}
		limit := min(maxDepth, 1000)
		if maxDepth == 0 {
			limit = 64
		}
		if n := nesting(out); n > limit {
			t.Fatalf("nested %d deep, want at most %d", n, limit)
		}
		if again := o.Append(nil, v); !bytes.Equal(out, again) {
			t.Fatalf("two encodings differ:\n%s\n%s", out, again)
		}
	})
}

// FuzzSafeJSONPlain: plain values are encoded as encoding/json does without
// HTML escaping, and names never repeat.
func FuzzSafeJSONPlain(f *testing.F) {
	for choice := range 18 {
		f.Add([]byte{byte(choice), 4, 2, 3, 'a', '<', 0xff, 3, 9, 1, 2, 3, 4, 5, 6, 7, 8, 14, 3, 2, 1, 'x', 0, 6})
		f.Add([]byte{14, 2, byte(choice), 8, 1, 2, 3, 4, 5, 6, 7, 8, 0, 6, byte(choice), 1, 0, 2, 1})
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v := (&maker{data: data}).plain()
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(v); err != nil {
			t.Skip(err)
		}
		got := safejson.Marshal(v)
		if !bytes.Equal(got, bytes.TrimSuffix(want.Bytes(), []byte("\n"))) {
			t.Fatalf("%#v:\ngot  %s\nwant %s", v, got, want.Bytes())
		}
		if err := strict(got, false); err != nil {
			t.Fatalf("%v\n%s", err, got)
		}
	})
}

// FuzzSafeJSONCut: what fits is written whole; what does not is cut to the
// limit and says so.
func FuzzSafeJSONCut(f *testing.F) {
	for _, size := range []int{64, 65, 100, 300} {
		f.Add([]byte{7, 5, 1, 'a', 2, 20, 'l', 'o', 'n', 'g', ' ', 't', 'e', 'x', 't', 1, 'b', 6, 5, 4, 8, 4, 8, 4, 8}, size, 9)
	}
	f.Fuzz(func(t *testing.T, data []byte, size, times int) {
		if size < 64 || size > 1<<14 || times < 0 || times > 100 {
			return
		}
		v := map[string]any{"id": 1}
		for i := range times {
			v[fmt.Sprint("field", i)] = (&maker{data: data[min(i, len(data)):]}).plain()
		}
		whole := safejson.Marshal(v)
		got := safejson.Options{MaxBytes: size}.Append(nil, v)
		switch {
		case len(whole) <= size:
			if !bytes.Equal(got, whole) {
				t.Fatalf("it fits but is changed:\n%s\n%s", got, whole)
			}
		case len(got) > size:
			t.Fatalf("%d bytes, want at most %d", len(got), size)
		case !bytes.Contains(got, []byte("[cut")):
			t.Fatalf("cut without a word:\n%s\n%s", got, whole)
		case strict(got, false) != nil:
			t.Fatalf("%v\n%s", strict(got, false), got)
		case size >= 200 && !bytes.Contains(got, []byte(`"id":1`)):
			t.Fatalf("a small field is gone:\n%s", got)
		}
	})
}
