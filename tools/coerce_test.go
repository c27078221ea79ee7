package tools

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// everything is a schema with an argument of each kind.
const everything = `{
	"type": "object",
	"additionalProperties": false,
	"required": ["s"],
	"properties": {
		"s":        {"type": "string"},
		"n":        {"type": "integer"},
		"f":        {"type": "number"},
		"b":        {"type": "boolean"},
		"words":    {"type": "array", "items": {"type": "string"}},
		"numbers":  {"type": "array", "items": {"type": "integer"}},
		"pairs":    {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
		"o":        {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": false},
		"map":      {"type": "object", "additionalProperties": {"type": "integer"}},
		"unit":     {"type": "string", "enum": ["celsius", "fahrenheit"]},
		"level":    {"enum": [1, 2, null]},
		"maybe":    {"type": ["integer", "null"]},
		"either":   {"anyOf": [{"type": "integer"}, {"type": "null"}]},
		"union":    {"type": ["integer", "string"]},
		"any":      {},
		"tree":     {"$ref": "#/$defs/tree"},
		"file_path": {"type": "string"}
	},
	"$defs": {"tree": {"type": "object", "properties": {"v": {"type": "integer"}, "kids": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}}}
}`

func toolWith(parameters string, run func(c Call) (any, error)) *Tool {
	return &Tool{
		Name:       "t",
		Parameters: json.RawMessage(parameters),
		Run:        func(_ context.Context, c Call) (any, error) { return run(c) },
	}
}

func echo(c Call) (any, error) { return string(c.Args), nil }

// Of several alternatives of one type it is the value that says which is meant.
func TestCoerceAlternatives(t *testing.T) {
	set := NewSet(toolWith(kinds, echo))
	deep := func(levels int, leaf string) string {
		return `{"k":` + strings.Repeat(`{"in":`, levels) + leaf + strings.Repeat(`,"op":"c"}`, levels) + `}`
	}
	for _, tt := range []struct{ name, args, want string }{
		{"fits the last", `{"k":{"op":"c","n":5}}`, `{"k":{"op":"c","n":5}}`},
		{"fits the first", `{"k":{"op":"a","n":"5"}}`, `{"k":{"op":"a","n":"5"}}`},
		{"meant the last", `{"k":{"op":"c","n":"5"}}`, `{"k":{"op":"c","n":5}}`},
		{"meant the second", `{"k":{"op":"b","n":"true"}}`, `{"k":{"op":"b","n":true}}`},
		{"could be two", `{"k":{"n":["5"]}}`, ``},
		{"deep inside", deep(8, `{"op":"c","n":"5"}`), deep(8, `{"op":"c","n":5}`)},
		{"deep inside, none", deep(60, `{"op":"d","n":"5"}`), ``},
	} {
		r := set.Do(t.Context(), Call{Name: "t", Args: json.RawMessage(tt.args)})
		if tt.want == "" && r.Status != InvalidArgs || tt.want != "" && r.Text != tt.want {
			t.Errorf("%s: %s %s", tt.name, r.Status, r.Text)
		}
	}
}

func TestCoerce(t *testing.T) {
	set := NewSet(toolWith(everything, echo))
	for _, tt := range []struct {
		name     string
		args     string // beside "s":"" unless it stands there
		want     string // "": refused
		coercion string // "": none
	}{
		{"text for an integer", `"n":"5"`, `"n":5`, `n: "5" read as 5`},
		{"with spaces", `"n":" -5 "`, `"n":-5`, `n: " -5 " read as -5`},
		{"whole number with a point", `"n":5.0`, `"n":5`, `n: 5.0 read as 5`},
		{"whole number with an exponent", `"n":1.5e3`, `"n":1500`, `n: 1.5e3 read as 1500`},
		{"text of one", `"n":"5.0"`, `"n":5`, `n: "5.0" read as 5`},
		{"big integers keep their digits", `"n":"123456789012345678901234567890"`, `"n":123456789012345678901234567890`, `n: "123456789012345678901234567890" read as 123456789012345678901234567890`},
		{"also without coercion", `"n":123456789012345678901234567890,"f":0.1234567890123456789`, `"n":123456789012345678901234567890,"f":0.1234567890123456789`, ``},
		{"no rounding", `"n":5.5`, ``, ``},
		{"no guess", `"n":"five"`, ``, ``},
		{"no thousands", `"n":"1,000"`, ``, ``},
		{"no octal", `"n":"010"`, ``, ``},
		{"no endless digits", `"n":1e999999999`, ``, ``},
		{"boolean is no integer", `"n":true`, ``, ``},
		{"text for a number", `"f":"2.50"`, `"f":2.50`, `f: "2.50" read as 2.50`},
		{"not a number", `"f":"NaN"`, ``, ``},
		{"text for a boolean", `"b":"true"`, `"b":true`, `b: "true" read as true`},
		{"in Python", `"b":"False"`, `"b":false`, `b: "False" read as false`},
		{"1 is not true", `"b":1`, ``, ``},
		{"yes is not true", `"b":"yes"`, ``, ``},

		{"text stays text", `"s":"true"`, `"s":"true"`, ``},
		{"digits stay text", `"s":"42"`, `"s":"42"`, ``},
		{"null as text stays text", `"s":"null"`, `"s":"null"`, ``},
		{"JSON as text stays text", `"s":"{\"n\":1}"`, `"s":"{\"n\":1}"`, ``},
		{"number for a string", `"s":4.10`, `"s":"4.10"`, `s: 4.10 read as "4.10"`},
		{"boolean is no string", `"s":true`, ``, ``},
		{"object is no string", `"s":{"a":1}`, ``, ``},
		{"null is no string", `"s":null`, ``, ``},
		{"list of one for a string", `"s":["x"]`, `"s":"x"`, `s: ["x"] read as "x"`},
		{"list of two is no string", `"s":["x","y"]`, ``, ``},

		{"single value for a list", `"words":"a"`, `"words":["a"]`, `words: "a" read as ["a"]`},
		{"and its elements", `"numbers":"5"`, `"numbers":[5]`, `numbers: "5" read as ["5"] numbers[0]: "5" read as 5`},
		{"elements", `"numbers":[1,"2",3.0]`, `"numbers":[1,2,3]`, `numbers[1]: "2" read as 2 numbers[2]: 3.0 read as 3`},
		{"list as text", `"numbers":"[1, 2]"`, `"numbers":[1, 2]`, `numbers: "[1, 2]" read as [1, 2]`},
		{"list of strings as text", `"words":"[\"a\",\"b\"]"`, `"words":["a","b"]`, `words: "[\"a\",\"b\"]" read as ["a","b"]`},
		{"a pattern is one string", `"words":"[1]"`, `"words":["[1]"]`, `words: "[1]" read as ["[1]"]`},
		{"commas do not split", `"words":"a,b"`, `"words":["a,b"]`, `words: "a,b" read as ["a,b"]`},
		{"an object is no list of strings", `"words":{"a":1}`, ``, ``},
		{"wrapped once", `"pairs":5`, ``, ``},
		{"list in a list", `"pairs":[1,2]`, `"pairs":[[1],[2]]`, `pairs[0]: 1 read as [1] pairs[1]: 2 read as [2]`},

		{"object as text", `"o":"{\"n\": \"1\"}"`, `"o":{"n":1}`, `o: "{\"n\": \"1\"}" read as {"n": "1"} o.n: "1" read as 1`},
		{"inside an object", `"o":{"n":"1"}`, `"o":{"n":1}`, `o.n: "1" read as 1`},
		{"values of a map", `"map":{"a":"1","b":2}`, `"map":{"a":1,"b":2}`, `map.a: "1" read as 1`},
		{"keys of a map stay", `"map":{"N":1}`, `"map":{"N":1}`, ``},
		{"recursive", `"tree":{"kids":[{"v":"1","kids":{"v":2}}]}`, `"tree":{"kids":[{"v":1,"kids":[{"v":2}]}]}`, `tree.kids[0].v: "1" read as 1 tree.kids[0].kids: {"v":2} read as [{"v":2}]`},

		{"enum in another case", `"unit":"Celsius"`, `"unit":"celsius"`, `unit: "Celsius" read as "celsius"`},
		{"no such entry", `"unit":"kelvin"`, ``, ``},
		{"enum without a type", `"level":null`, `"level":null`, ``},

		{"null is absent", `"n":null,"unit":null`, ``, `n: null left out unit: null left out`},
		{"unless it is allowed", `"maybe":null,"either":null`, `"maybe":null,"either":null`, ``},
		{"unknown null", `"reason":null`, ``, `reason: null left out`},
		{"alternatives", `"either":"5"`, `"either":5`, `either: "5" read as 5`},
		{"two types", `"union":"5"`, `"union":"5"`, ``},
		{"any", `"any":"5"`, `"any":"5"`, ``},

		{"camel case", `"filePath":"x"`, `"file_path":"x"`, `filePath read as file_path`},
		{"escaped for Markdown", `"file\\_path":"x"`, `"file_path":"x"`, `file\_path read as file_path`},
		{"both spellings", `"filePath":"x","file_path":"y"`, ``, ``},
		{"no other guess", `"path":"x"`, ``, ``},
	} {
		t.Run(tt.name, func(t *testing.T) {
			args, want := wrapped(tt.args), wrapped(tt.want)
			refused := tt.want == "" && tt.coercion == ""
			r := set.Do(context.Background(), Call{Name: "t", Args: json.RawMessage(args)})
			if refused != (r.Status == InvalidArgs) {
				t.Fatalf("%s: %s: %s", args, r.Status, r.Text)
			}
			if !refused && r.Text != want {
				t.Errorf("got  %s\nwant %s", r.Text, want)
			}
			if got := strings.Join(r.Coerced, " "); got != tt.coercion {
				t.Errorf("coerced %q, want %q", got, tt.coercion)
			}
		})
	}
}

func wrapped(args string) string {
	if strings.HasPrefix(args, `"s"`) {
		return "{" + args + "}"
	}
	if args != "" {
		args = "," + args
	}
	return `{"s":""` + args + "}"
}

// What fits is passed on byte by byte.
func TestFittingArgumentsAreUntouched(t *testing.T) {
	set := NewSet(toolWith(everything, echo))
	args := "{ \"s\" : \"\\u0041<&>\" ,\n\t\"any\":[1.0, 1e2 ,{\"x\":null}], \"n\":-0 }"
	checked, coerced, bad := set.Check(Call{Name: "t", Args: json.RawMessage(args)})
	if bad != nil || len(coerced) > 0 || string(checked.Args) != args {
		t.Errorf("%v %v %s", bad, coerced, checked.Args)
	}
}

// Coercing twice changes nothing more, and Do carries on what Check did.
func TestCheckedCall(t *testing.T) {
	set := NewSet(toolWith(everything, echo))
	checked, coerced, bad := set.Check(Call{Name: "t", Args: json.RawMessage(`{"s":1,"numbers":"2"}`)})
	if bad != nil || len(coerced) != 3 {
		t.Fatal(bad, coerced)
	}
	r := set.Do(context.Background(), checked)
	if r.Status != OK || r.Text != `{"s":"1","numbers":[2]}` || !slices.Equal(r.Coerced, coerced) {
		t.Errorf("%+v", r)
	}
}
