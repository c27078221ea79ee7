package safejson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/big"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"
)

type (
	failing  struct{}
	panicky  struct{}
	broken   struct{}
	grumpy   struct{ n int }
	whisper  struct{ n int }
	mute     struct{ n int }
	loud     string
	byPtr    struct{ N int }
	textual  int
	problem  struct{ Code int }
	nilError struct{}
	letter   uint8
	lazy     struct{ text string }
)

func (failing) MarshalJSON() ([]byte, error) { return nil, errors.New("no luck") }
func (panicky) MarshalText() ([]byte, error) { panic(fmt.Errorf("at %d", 3)) }
func (broken) MarshalJSON() ([]byte, error)  { return []byte(`{"a":`), nil }
func (grumpy) Error() string                 { panic("no words") }
func (whisper) String() string               { panic(nil) }
func (mute) String() string                  { return "mute" }
func (loud) String() string                  { panic("not asked") }
func (p *byPtr) MarshalJSON() ([]byte, error) {
	return json.Marshal("by pointer " + fmt.Sprint(p.N))
}
func (t textual) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "<%d>", int(t)), nil }
func (p problem) Error() string                { return fmt.Sprint("problem ", p.Code) }
func (*nilError) Error() string                { return "not nil" }
func (l letter) MarshalText() ([]byte, error)  { return []byte{byte(l)}, nil }
func (l lazy) MarshalJSON() ([]byte, error)    { return []byte(l.text), nil }

func TestMarshal(t *testing.T) {
	one := 1
	for _, tt := range []struct {
		name  string
		value any
		want  string
	}{
		{"nil", nil, `null`},
		{"nil pointer", (*int)(nil), `null`},
		{"nil error pointer", (*nilError)(nil), `null`},
		{"nil func", (func())(nil), `null`},
		{"pointer", &one, `1`},
		{"no HTML escaping", "<a> & </a>", `"<a> & </a>"`},

		{"not a number", math.NaN(), `"NaN"`},
		{"infinity", []float64{math.Inf(1), math.Inf(-1)}, `["Infinity","-Infinity"]`},
		{"float32", float32(math.Inf(1)), `"Infinity"`},
		{"integers that float64 holds", []int64{1<<53 - 1, -(1<<53 - 1)}, `[9007199254740991,-9007199254740991]`},
		{"integers that it does not", []int64{1 << 53, -1 << 53}, `["9007199254740992","-9007199254740992"]`},
		{"unsigned", uint64(math.MaxUint64), `"18446744073709551615"`},
		{"big integer", new(big.Int).Exp(big.NewInt(10), big.NewInt(30), nil), `"1000000000000000000000000000000"`},
		{"big integer by value", *big.NewInt(7), `"7"`},
		{"nil big integer", (*big.Int)(nil), `null`},
		{"big fraction", []*big.Rat{big.NewRat(1, 3), big.NewRat(4, 2)}, `["1/3","2"]`},
		{"big float", big.NewFloat(0.5), `"0.5"`},
		{"infinite big float", new(big.Float).SetInf(true), `"-Infinity"`},
		{"big float of a size nobody can write out", new(big.Float).SetMantExp(big.NewFloat(1), 1<<30), `"0x.8p+1073741825"`},

		{"short numbers", []json.Number{"1", "-0.50", "1e5", "", "0.000", "9007199254740991"}, `[1,-0.50,1e5,0,0.000,9007199254740991]`},
		{"long numbers", []json.Number{"9007199254740992", "0.123456789012345678", "1e999", "1e-999"}, `["9007199254740992","0.123456789012345678","1e999","1e-999"]`},
		{"no numbers", []json.Number{"NaN", "01", "1.", "0x1", "1 2"}, `["NaN","01","1.","0x1","1 2"]`},

		{"error", errors.New("no such file"), `"no such file"`},
		{"error with fields", problem{3}, `"problem 3"`},
		{"wrapped error", &fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist}, `"open x: file does not exist"`},
		{"time", time.Date(2024, 2, 29, 12, 0, 0, 5000, time.UTC), `"2024-02-29T12:00:00.000005Z"`},
		{"time encoding/json refuses", time.Date(12024, 1, 1, 0, 0, 0, 0, time.UTC), `"12024-01-01T00:00:00Z"`},
		{"duration", 90 * time.Second, `"1m30s"`},
		{"text bytes", []byte("line\n<1>"), `"line\n<1>"`},
		{"binary bytes", []byte{0xff, 0}, `"base64:/wA="`},
		{"no bytes", []byte{}, `""`},
		{"nil bytes", []byte(nil), `null`},
		{"array of bytes", [2]byte{1, 2}, `[1,2]`},
		{"list of letters", []letter{'a', 'b'}, `["a","b"]`},

		{"func", func() {}, `"[func]"`},
		{"chan", make(chan int), `"[chan]"`},
		{"unsafe pointer", unsafe.Pointer(&one), `"[unsafe.Pointer]"`},
		{"complex", complex(1, -2), `"[complex 1-2i]"`},
		{"opaque", &sync.Mutex{}, `"[opaque sync.Mutex]"`},
		{"opaque with String", mute{1}, `"mute"`},
		{"no fields", struct{}{}, `{}`},
		{"hidden on purpose", struct {
			A int `json:"-"`
		}{1}, `{}`},

		{"failing MarshalJSON", failing{}, `"[MarshalJSON of safejson.failing failed: no luck]"`},
		{"panicking MarshalText", panicky{}, `"[MarshalText of safejson.panicky panicked: at 3]"`},
		{"panicking Error", grumpy{1}, `"[Error of safejson.grumpy panicked: no words]"`},
		{"panicking String", whisper{1}, `"[String of safejson.whisper panicked: panic called with nil argument]"`},
		{"String that is not asked", loud("x"), `"x"`},
		{"invalid MarshalJSON", broken{}, `"[invalid JSON from safejson.broken: {\"a\":]"`},
		{"two values from MarshalJSON", lazy{`1 2`}, `"[invalid JSON from safejson.lazy: 1 2]"`},
		{"invalid RawMessage", json.RawMessage("nul"), `"[invalid JSON from json.RawMessage: nul]"`},
		{"empty RawMessage", json.RawMessage{}, `"[invalid JSON from json.RawMessage: ]"`},
		{"nil RawMessage", json.RawMessage(nil), `null`},
		{"RawMessage", json.RawMessage(" { \"a\" : [ 1e400 , 0.10 ] } "), `{"a":[1e400,0.10]}`},
		{"half surrogate in RawMessage", json.RawMessage(`["\ud800","\ud83d\ude00","\\ud800"]`), `["�","😀","\\ud800"]`},
		{"bad UTF-8 in RawMessage", json.RawMessage("{\"a\xff\":1}"), `{"a�":1}`},
		{"pointer method, no address", byPtr{1}, `"by pointer 1"`},
		{"pointer method, in a map", map[string]byPtr{"a": {2}}, `{"a":"by pointer 2"}`},

		{"keys of numbers", map[float64]int{1.5: 1, math.Inf(1): 2, 1e21: 3}, `{"1.5":1,"1e+21":3,"Infinity":2}`},
		{"keys of text marshalers", map[textual]int{2: 1, 10: 2}, `{"<10>":2,"<2>":1}`},
		{"keys that fail", map[panicky]int{{}: 1}, `{"[MarshalText of safejson.panicky panicked: at 3]":1}`},
		{"keys of structs", map[problemKey]int{{1, "a"}: 1}, `{"{\"N\":1,\"S\":\"a\"}":1}`},
		{"keys of all kinds", map[any]any{1: 1, "1": 2, true: 3, nil: 4, 'x': 5}, `{"1":1,"1 (2)":2,"120":5,"null":4,"true":3}`},
		{"keys that read the same", map[string]int{"a\xff": 1, "a\xfe": 2, "a": 3}, `{"a":3,"a\ufffd":2,"a� (2)":1}`},
		{"one that has its number already", map[any]any{1: 1, "1": 2, "1 (2)": 3}, `{"1":1,"1 (2)":2,"1 (2) (2)":3}`},
		{"the same in a map of any", map[string]any{"a\xff": 1, "a\xfe": 2}, `{"a\ufffd":2,"a� (2)":1}`},

		{"half a surrogate", "a\xed\xa0\x80b", `"a\ufffd\ufffd\ufffdb"`},
		{"cut emoji", "x\xf0\x9f\x98", `"x\ufffd\ufffd\ufffd"`},
		{"the characters of an escape", `\ud800`, `"\\ud800"`},
		{"line separators", "\u2028\u2029", `"\u2028\u2029"`},
		{"controls", "\x00\b\f\n\r\t\x1f\x7f\"\\/", `"\u0000\b\f\n\r\t\u001f` + "\x7f" + `\"\\/"`},

		{"string option", struct {
			A float64       `json:",string"`
			B int64         `json:",string"`
			C time.Duration `json:",string"`
			D *int          `json:",string"`
			E string        `json:",string"`
			F json.Number   `json:",string"`
		}{math.NaN(), 1 << 60, 1, &one, `"`, "1"}, `{"A":"NaN","B":"1152921504606846976","C":"1ns","D":"1","E":"\"\\\"\"","F":"1"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(Marshal(tt.value)); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			// None spoils its neighbours.
			want := `{"a":1,"b":` + tt.want + `,"c":[` + tt.want + `]}`
			in := map[string]any{"a": 1, "b": tt.value, "c": []any{tt.value}}
			if got := string(Marshal(in)); got != want {
				t.Errorf("among others:\ngot  %s\nwant %s", got, want)
			}
		})
	}
}

type problemKey struct {
	N int
	S string
}

// The quick look at a number never says more than the thorough one, and that
// one agrees with the grammar.
func TestNumbers(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	short := 0
	for range 200_000 {
		b := make([]byte, 1+rnd.IntN(8))
		for i := range b {
			b[i] = "-.01359eE+"[rnd.IntN(10)]
		}
		s := string(b)
		if isNumber(s) != json.Valid(b) {
			t.Fatalf("%s is a number: %v", s, isNumber(s))
		}
		if isShort(s) {
			short++
			if !survivesFloat(s) {
				t.Fatalf("%s does not survive", s)
			}
		}
	}
	if short < 1000 {
		t.Errorf("only %d short numbers tried", short)
	}
	for _, s := range []string{"-123456789012345", "1234567890.1234567", "0.0000000000000001"} {
		if !isShort(s) || isShort(s+"9") {
			t.Errorf("%s is at the border: %v, %v", s, isShort(s), isShort(s+"9"))
		}
	}
}

type node struct {
	Name string
	Next *node `json:",omitempty"`
	Any  any   `json:",omitempty"`
}

func TestCycles(t *testing.T) {
	ring := map[string]any{"n": 1}
	ring["self"] = ring
	list := []any{0, nil}
	list[1] = list
	self := &node{Name: "a"}
	self.Next = self
	two := &node{Name: "a", Next: &node{Name: "b"}}
	two.Next.Any = []any{two}
	var pointer any
	pointer = &pointer
	typed := map[string]map[string]any{"x": {}}
	typed["x"]["y"] = typed
	shared := []int{1, 2}
	window := []any{nil, 2}
	window[0] = window[:1]
	first := &struct{ A [1]*int }{}
	inner := 5
	first.A[0] = &inner

	for _, tt := range []struct {
		name  string
		value any
		want  string
	}{
		{"map", ring, `{"n":1,"self":"[circular]"}`},
		{"list", list, `[0,"[circular]"]`},
		{"struct", self, `{"Name":"a","Next":"[circular]"}`},
		{"over two", two, `{"Name":"a","Next":{"Name":"b","Any":["[circular]"]}}`},
		{"pointer to itself", pointer, `"[circular]"`},
		{"typed map", typed, `{"x":{"y":"[circular]"}}`},
		{"part of a list", window, `[["[circular]"],2]`},
		{"shared is not circular", map[string]any{"a": shared, "b": shared, "c": []any{shared, &shared}}, `{"a":[1,2],"b":[1,2],"c":[[1,2],[1,2]]}`},
		{"same address, other type", first, `{"A":[5]}`},
		{"empty lists share an address", []any{[]any{}, []any{}, [][]int{{}, {}}}, `[[],[],[[],[]]]`},
	} {
		if got := string(Marshal(tt.value)); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

func TestDepth(t *testing.T) {
	nested := func(n int) any {
		v := any(1)
		for range n {
			v = []any{v}
		}
		return v
	}
	long := &node{Name: "last"}
	for range 100_000 {
		long = &node{Name: "n", Next: long}
	}
	chain := any(1)
	for range 100_000 {
		p := chain
		chain = &p
	}
	raw := func(n int) json.RawMessage {
		return json.RawMessage(strings.Repeat("[", n) + strings.Repeat("]", n))
	}
	brackets := func(n int, inside string) string {
		return strings.Repeat("[", n) + inside + strings.Repeat("]", n)
	}
	for _, tt := range []struct {
		name  string
		value any
		depth int
		want  string
	}{
		{"as deep as allowed", nested(64), 0, brackets(64, "1")},
		{"one deeper", nested(65), 0, brackets(64, tooDeep)},
		{"100,000 lists", nested(100_000), 0, brackets(64, tooDeep)},
		{"100,000 lists, the most there is", nested(100_000), 1 << 30, brackets(1000, tooDeep)},
		{"100,000 structs", long, 2, `{"Name":"n","Next":{"Name":"n","Next":"[too deep]"}}`},
		{"100,000 pointers", chain, 0, tooDeep},
		{"structs and arrays count", [1][1]struct{ A []int }{{{[]int{1}}}}, 3, `[[{"A":"[too deep]"}]]`},
		{"ready-made JSON", []any{raw(10), raw(3)}, 4, `[[[["[too deep]"]]],[[[]]]]`},
		{"more than encoding/json reads", raw(100_000), 0, `"[invalid JSON from json.RawMessage: ` + strings.Repeat("[", maxReason) + `…]"`},
	} {
		if got := string(Options{MaxDepth: tt.depth}.Append(nil, tt.value)); got != tt.want {
			t.Errorf("%s:\ngot  %.300s\nwant %.300s", tt.name, got, tt.want)
		}
	}
}

func TestCut(t *testing.T) {
	text := strings.Repeat("word ", 100)
	numbers := make([]int, 100)
	records := make([]any, 20)
	for i := range records {
		records[i] = map[string]any{"id": i, "name": fmt.Sprint("file", i)}
	}
	for _, tt := range []struct {
		name  string
		max   int
		value any
		want  string
	}{
		{"text", 64, text, `"word word word word word wo…[cut: 473 of 500 bytes left out]"`},
		{"between runes", 64, strings.Repeat("äöü", 100), `"äöüäöüäöüäöüä…[cut: 574 of 600 bytes left out]"`},
		{"escapes count as written", 64, strings.Repeat("\x00", 100), `"\u0000\u0000\u0000\u0000…[cut: 96 of 100 bytes left out]"`},
		{"bytes", 64, []byte(text), `"word word word word word wo…[cut: 473 of 500 bytes left out]"`},
		{"binary", 80, bytes.Repeat([]byte{0xff}, 300), `"base64:////////////////////////////////////…[cut: 364 of 407 bytes left out]"`},
		{"error", 64, errors.New(text), `"word word word word word wo…[cut: 473 of 500 bytes left out]"`},
		{"list", 100, numbers, `[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,"[cut: 69 of 100 items left out]"]`},
		{"list of records", 150, records, `[{"id":0,"name":"file0"},{"id":1,"name":"file1"},{"id":2,"name":"file2"},{"id":3,"name":"file3"},"[cut: 16 of 20 items left out]"]`},
		{"huge element first", 300, []any{text, 1, 2, 3}, `["word word word word word word word word word word word word word word word word word word word w…[cut: 404 of 500 bytes left out]",1,2,3]`},
		{"small fields whole", 250, map[string]any{"a": text, "b": 1, "c": true, "z": "end"}, `{"a":"word word word word word word word word word word word word word word word word word word word word word word word word word word word word word wor…[cut: 352 of 500 bytes left out]","b":1,"c":true,"z":"end"}`},
		{"structs alike", 250, struct {
			A string
			B int
		}{text, 1}, `{"A":"word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word wo…[cut: 333 of 500 bytes left out]","B":1}`},
		{"fields are dropped last", 110, map[string]any{"id": 1, "x": numbers, "y": numbers}, `{"id":1,"x":[0,0,0,0,0,0,0,"[cut: 93 of 100 items left out]"],"y":"[cut]"}`},
		{"what is dropped is counted", 90, map[string]any{"id": 1, "long name of a field": numbers, "longer name of a field": numbers}, `{"id":1,"long name of a field":"[cut: list of 100]","[cut]":"1 of 3 fields left out"}`},
		{"the smallest are kept", 68, map[string]any{"a": "12345678901234567890", "b": "1234567890", "c": "12345678901234567890", "d": 1}, `{"b":"1234567890","d":1,"[cut]":"2 of 4 fields left out"}`},
		{"no room for anything", 64, map[string]any{"a" + text: 1, "b" + text: 2}, `"[cut: object of 2]"`},
		{"no room in a list", 64, []any{numbers, numbers}, `"[cut: list of 2]"`},
		{"a key like the mark", 120, map[string]any{"[cut]": 1, "a" + text: 2}, `{"[cut]":1,"[cut 2]":"1 of 2 fields left out"}`},
		{"ready-made JSON", 100, json.RawMessage(`{"id": 9007199254740993, "text": "` + text + `"}`), `{"id":"9007199254740993","text":"[cut]"}`},
		{"what a method wrote", 100, lazy{`[1, 2, "` + text + `"]`}, `[1,2,"[cut: 1 of 3 items left out]"]`},
		{"pointers", 64, &[]*string{&text}, `"[cut: list of 1]"`},
		{"big integer", 64, new(big.Int).Lsh(big.NewInt(1), 1<<20), `"[cut]"`},
		{"less than any mark", 1, text, `"word word word word word wo…[cut: 473 of 500 bytes left out]"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Options{MaxBytes: tt.max}.Append(nil, tt.value)
			if string(got) != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if len(got) > max(tt.max, minBytes) || !json.Valid(got) {
				t.Errorf("%d bytes of %d, valid: %v", len(got), tt.max, json.Valid(got))
			}
		})
	}
}

// What is exponentially large when written in full takes no more time than the
// budget allows.
func TestCutOfSharedValues(t *testing.T) {
	v := any("leaf")
	for range 60 {
		v = map[string]any{"left": v, "right": v}
	}
	got := Options{MaxBytes: 5000}.Append(nil, v)
	if len(got) > 5000 || !json.Valid(got) {
		t.Errorf("%d bytes, valid: %v", len(got), json.Valid(got))
	}
}

// A hundred thousand keys that read the same take no quadratic time: a minute
// would not do.
func TestManyEqualKeys(t *testing.T) {
	const n = 100_000
	m := map[float64]bool{}
	for range n {
		m[math.NaN()] = true
	}
	var got map[string]bool
	if err := json.Unmarshal(Options{MaxBytes: 4 << 20}.Append(nil, m), &got); err != nil || len(got) != n || !got[fmt.Sprintf("NaN (%d)", n)] {
		t.Errorf("%v, %d keys", err, len(got))
	}
}

type vertex struct {
	ID    int
	Edges map[*vertex]int
}

// Keys that lead to maps with such keys take no exponential time: the ways
// through this graph come to a billion.
func TestKeysInKeys(t *testing.T) {
	graph := make([]*vertex, 13)
	for i := range graph {
		graph[i] = &vertex{i, map[*vertex]int{}}
	}
	for _, from := range graph {
		for _, to := range graph {
			from.Edges[to] = 1
		}
	}
	if got := Marshal(graph[0]); !json.Valid(got) {
		t.Errorf("got %.200s…", got)
	}

	leaf := &vertex{ID: 3}
	middle := &vertex{2, map[*vertex]int{leaf: 1}}
	got := string(Marshal(map[any]any{middle: middle, "x": map[any]int{middle: 1}}))
	want := `{"x":{"{\"ID\":2,\"Edges\":{\"[*safejson.vertex]\":1}}":1},` +
		`"{\"ID\":2,\"Edges\":{\"[*safejson.vertex]\":1}}":{"ID":2,"Edges":{"{\"ID\":3,\"Edges\":null}":1}}}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestAppend(t *testing.T) {
	dst := []byte("args: ")
	if got := string((Options{}).Append(dst, []int{1})); got != "args: [1]" {
		t.Errorf("got %s", got)
	}
	if got := string((Options{MaxBytes: 64}).Append(dst, strings.Repeat("x", 100))); !strings.HasPrefix(got, `args: "xxxxx`) || len(got) > len(dst)+64 {
		t.Errorf("got %s", got)
	}
}

// The default size is a MiB, in all.
func TestDefaultSize(t *testing.T) {
	fits := strings.Repeat("x", defaultBytes-2)
	if got := Marshal(fits); len(got) != defaultBytes || bytes.Contains(got, []byte("[cut")) {
		t.Errorf("%d bytes", len(got))
	}
	if got := Marshal(fits + "x"); len(got) > defaultBytes || !bytes.Contains(got, []byte("[cut")) {
		t.Errorf("%d bytes", len(got))
	}
}

type (
	base struct {
		ID   int `json:"id"`
		Name string
	}
	other struct {
		ID   int `json:"ID"`
		Name string
		Deep int
	}
	Exported struct{ E int }
	named    struct {
		Exported `json:"exported"`
		*base
	}
	unexportedInt int
	left          struct{ twice }
	right         struct{ twice }
	twice         struct{ T int }
	recursive     struct {
		N int
		*recursive
	}
	promoted struct {
		time.Time
		N int
	}
)

// TestLikeEncodingJSON compares structs of every build with encoding/json.
func TestLikeEncodingJSON(t *testing.T) {
	for _, v := range []any{
		struct{ base }{base{1, "a"}},
		struct{ *base }{},
		struct{ *base }{&base{1, "a"}},
		struct {
			base
			other
		}{base{1, "a"}, other{2, "b", 3}},
		struct {
			base
			Name int
		}{base{1, "a"}, 2},
		struct {
			base
			X string `json:"Name"`
		}{base{1, "a"}, "x"},
		named{Exported{1}, &base{2, "x"}},
		struct{ unexportedInt }{1},
		struct {
			unexportedInt
			A int
		}{1, 2},
		struct {
			left
			right
		}{left{twice{1}}, right{twice{2}}},
		struct {
			left
			right
			T int
		}{left{twice{1}}, right{twice{2}}, 3},
		recursive{1, &recursive{N: 2}},
		promoted{time.Unix(0, 0).UTC(), 1},
		struct {
			fmt.Stringer
			error
			N int
		}{nil, nil, 1}.N,
		struct {
			A int `json:"B"`
			B int
		}{1, 2},
		struct {
			A []int          `json:",omitempty"`
			B map[string]int `json:",omitempty"`
			C *int           `json:",omitempty"`
			D any            `json:",omitempty"`
			E struct{}       `json:",omitempty"`
			F [0]int         `json:",omitempty"`
			G [1]int         `json:",omitempty"`
			H float64        `json:",omitempty"`
			I time.Time      `json:",omitempty"`
		}{A: []int{}, B: map[string]int{}, H: math.Copysign(0, -1)},
		struct {
			A []int          `json:",omitzero"`
			B map[string]int `json:",omitzero"`
			E struct{}       `json:",omitzero"`
			G [1]int         `json:",omitzero"`
			I time.Time      `json:",omitzero"`
			J *time.Time     `json:",omitzero"`
			K netip.Addr     `json:",omitzero"`
			L any            `json:",omitzero"`
		}{A: []int{}, B: map[string]int{}, I: time.Time{}.Local(), J: &time.Time{}, L: 0},
		map[string]netip.Addr{"a": netip.MustParseAddr("10.0.0.1")},
		[]any{float32(1e-7), 1e-7, 1e21, 1e20, 123456789.0, 5e-324, float32(3.4e38), 100.0, math.Copysign(0, -1)},
		map[int8]bool{-1: true, 10: false, 9: true},
		map[loud]int{"b": 1, "a": 2},
		[]*int{nil, new(int)},
		[2]any{nil, []any(nil)},
		map[string]any(nil),
		uintptr(5),
	} {
		compare(t, v)
	}
}

func compare(t *testing.T, v any) {
	t.Helper()
	var want bytes.Buffer
	enc := json.NewEncoder(&want)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatalf("%#v: %v", v, err)
	}
	if got := Marshal(v); string(got)+"\n" != want.String() {
		t.Errorf("%#v:\ngot  %s\nwant %s", v, got, want.String())
	}
}

// TestMadeUpStructs compares structs of random types with encoding/json.
func TestMadeUpStructs(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	values := []any{0, 1, "", "<a>", true, false, 0.0, 1.5, []int{}, []int(nil), []string{"x"}, map[string]int{}, map[string]int{"a": 1}, base{}, &base{1, "b"}, (*base)(nil), new(int), uint8(3), [0]int{}, [2]bool{}, time.Time{}, other{}}
	tags := []string{"", "x", "y", "F0", "F1,omitempty", ",omitempty", ",omitzero", ",string", "x,string,omitempty", "-", "-,", "ü", "a b", `q"`, "<", `a\b`, "a,b", "x,", " ", "𝔘"}
	for range 2000 {
		var fields []reflect.StructField
		var set []any
		for i := range 1 + rnd.IntN(5) {
			v := values[rnd.IntN(len(values))]
			typ := reflect.TypeOf(v)
			if rnd.IntN(4) == 0 {
				typ = reflect.TypeFor[any]()
			}
			tag := fmt.Sprintf("json:%q", tags[rnd.IntN(len(tags))])
			fields = append(fields, reflect.StructField{Name: fmt.Sprint("F", i), Type: typ, Tag: reflect.StructTag(tag)})
			set = append(set, v)
		}
		s := reflect.New(reflect.StructOf(fields)).Elem()
		for i, v := range set {
			s.Field(i).Set(reflect.ValueOf(v))
		}
		compare(t, s.Interface())
		compare(t, s.Addr().Interface())
	}
}

// Types that contain themselves are made ready by several goroutines at once.
func TestConcurrent(t *testing.T) {
	type tree struct {
		Kids []tree
		Up   *tree `json:",omitempty"`
		By   map[string]*tree
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			v := tree{Kids: []tree{{}}, By: map[string]*tree{"a": {}}}
			want := `{"Kids":[{"Kids":null,"By":null}],"By":{"a":{"Kids":null,"By":null}}}`
			if got := string(Marshal(v)); got != want {
				t.Errorf("got %s", got)
			}
		})
	}
	wg.Wait()
}

// Reflection does not hand out what is in an unexported embedded struct with a
// name of its own: its methods cannot be called, and its fields are written.
func TestOutOfReach(t *testing.T) {
	type hidden struct { // two of each, so that no method becomes one of the whole
		lazy     `json:"lazy"`
		broken   `json:"broken"`
		problem  `json:"problem"`
		grumpy   `json:"grumpy"`
		whisper  `json:"whisper"`
		mute     `json:"mute"`
		panicky  `json:"panicky"`
		panicked `json:"panicked"`
		N        int
	}
	const want = `{"lazy":"[opaque safejson.lazy]","broken":{},"problem":{"Code":3},"grumpy":"[opaque safejson.grumpy]",` +
		`"whisper":"[opaque safejson.whisper]","mute":"[opaque safejson.mute]","panicky":{},"panicked":{"T":null},"N":0}`
	v := hidden{lazy{}, broken{}, problem{3}, grumpy{}, whisper{}, mute{}, panicky{}, panicked{}, 0}
	if got := string(Marshal([]any{v, &v})); got != "["+want+","+want+"]" {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

type panicked struct{ T *panicky }

func (panicked) MarshalText() ([]byte, error) { panic("not to be called") }

// Encoding inside a MarshalJSON has a state of its own.
func TestReentrant(t *testing.T) {
	v := []any{marshalerFunc(func() ([]byte, error) { return Marshal(map[string]any{"in": 1}), nil }), 2}
	if got := string(Marshal(v)); got != `[{"in":1},2]` {
		t.Errorf("got %s", got)
	}
}

type marshalerFunc func() ([]byte, error)

func (f marshalerFunc) MarshalJSON() ([]byte, error) { return f() }
