package tools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// kinds is a schema of alternatives of one type, which hold others.
const kinds = `{"type":"object","properties":{"k":{"$ref":"#/$defs/k"}},"$defs":{"k":{"anyOf":[
	{"type":"object","properties":{"op":{"const":"a"},"n":{"type":"string"},"in":{"$ref":"#/$defs/k"}}},
	{"type":"object","properties":{"op":{"const":"b"},"n":{"type":"boolean"},"in":{"$ref":"#/$defs/k"}}},
	{"type":"object","properties":{"op":{"const":"c"},"n":{"type":"integer"},"in":{"$ref":"#/$defs/k"}}},
	{"type":"null"}]}}}`

func TestCheck(t *testing.T) {
	const limits = `{"type":"object","properties":{
		"n":{"type":"integer","minimum":1,"maximum":10},
		"f":{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1},
		"s":{"type":"string","minLength":2,"maxLength":4},
		"l":{"type":"array","items":{"type":"string","minLength":1},"minItems":1,"maxItems":2},
		"p":{"type":"string","pattern":"^[a-z]+$"},
		"u":{"type":"array","uniqueItems":true},
		"m":{"type":"integer","multipleOf":5},
		"c":{"const":"x"},
		"e":{"anyOf":[{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]},{"type":"string","enum":["none"]}]},
		"a/b":{"type":"object","properties":{"p":{"type":"string","pattern":"^x"}}}
	}}`
	for _, tt := range []struct{ name, schema, args, want string }{
		{"right", everything, `{"s":"x"}`, ``},
		{"no arguments at all", everything, ``, `s: missing; must be a string`},
		{"null for all", `{"type":"object"}`, `null`, ``},
		{"spaces", `{"type":"object"}`, "  ", ``},
		{"missing", everything, `{}`, `s: missing; must be a string`},
		{"missing number", `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`, `{}`, `n: missing; must be an integer`},
		{"missing in an object", everything, `{"s":"","o":{}}`, `o.n: missing; must be an integer`},
		{"unknown, and one is missing", `{"type":"object","properties":{"path":{"type":"string"},"n":{}},"required":["path"],"additionalProperties":false}`, `{"file":"x"}`, `file: no such argument; did you mean path?|path: missing; must be a string`},
		{"unknown and missing", everything, `{"ss":"x"}`, `ss: no such argument; did you mean s?|s: missing; must be a string`},
		{"unknown, nothing like it", `{"type":"object","properties":{"path":{},"limit":{}},"additionalProperties":false}`, `{"colour":1}`, `colour: no such argument; there are: path, limit`},
		{"unknown, it takes none", `{"type":"object","additionalProperties":false}`, `{"a":1}`, `a: no such argument; it takes none`},
		{"unknown is allowed", `{"type":"object","properties":{"path":{}}}`, `{"colour":1}`, ``},
		{"given twice", everything, `{"s":"x","s":"y"}`, `s: given twice`},
		{"given twice, in an object", everything, `{"s":"x","any":1,"o":{"n":1,"n":1}}`, `o.n: given twice`},
		{"given twice, in text", everything, `{"s":"x","o":"{\"n\":1,\"n\":2}"}`, `o.n: given twice`},

		{"type", everything, `{"s":"","n":"five"}`, `n: must be an integer, got the string "five"`},
		{"types", everything, `{"s":"","maybe":{}}`, `maybe: must be an integer or null, got an object`},
		{"list", everything, `{"s":["a","b"]}`, `s: must be a string, got a list of 2 items`},
		{"number", everything, `{"s":"","b":1.50}`, `b: must be true or false, got the number 1.50`},
		{"enum", everything, `{"s":"","unit":"kelvin"}`, `unit: must be one of "celsius", "fahrenheit", got the string "kelvin"`},
		{"enum of numbers", everything, `{"s":"","level":1.0}`, ``},
		{"const", limits, `{"c":"y"}`, `c: must be "x", got the string "y"`},
		{"long values are shortened", everything, `{"s":"","n":"` + strings.Repeat("é", 100) + `"}`, `n: must be an integer, got the string "ééééééééééééééééééééééééééééé…`},

		{"minimum", limits, `{"n":0}`, `n: must be at least 1, got 0`},
		{"maximum", limits, `{"n":123456789012345678901234567890}`, `n: must be at most 10, got 123456789012345678901234567890`},
		{"exclusive", limits, `{"f":0.0}`, `f: must be more than 0, got 0.0`},
		{"exclusive maximum", limits, `{"f":1}`, `f: must be less than 1, got 1`},
		{"immense", limits, `{"f":1e99999}`, `f: must be less than 1, got 1e99999`},
		{"too short", limits, `{"s":"é"}`, `s: must have at least 2 characters, got 1`},
		{"too long", limits, `{"s":"ééééé"}`, `s: must have at most 4 characters, got 5`},
		{"too few", limits, `{"l":[]}`, `l: must have at least 1 item, got 0`},
		{"too many", limits, `{"l":["a","b","c"]}`, `l: must have at most 2 items, got 3`},
		{"element", limits, `{"l":["a",""]}`, `l[1]: must have at least 1 character, got 0`},
		{"pattern", limits, `{"p":"A"}`, `p: breaks a rule: pattern: "A" does not match regular expression "^[a-z]+$"`},
		{"pattern in an object", limits, `{"a/b":{"p":"y"}}`, `a/b.p: breaks a rule: pattern: "y" does not match regular expression "^x"`},
		{"unique", limits, `{"u":[1,1.0]}`, `u: breaks a rule: uniqueItems: array items 1 and 0 are equal`},
		{"multiple", limits, `{"m":7}`, `m: must be a multiple of 5, got 7`},
		{"alternative of this type", limits, `{"e":{"a":"x"}}`, `e.a: must be an integer, got the string "x"`},
		{"the last of several alternatives of one type", kinds, `{"k":{"op":"c","n":5}}`, ``},
		{"none of several", kinds, `{"k":{"op":"d","n":5}}`, `k: must be an object or null, got an object`},
		{"alternatives in alternatives", kinds, `{"k":` + strings.Repeat(`{"in":`, 60) + `{"op":"d"}` + strings.Repeat(`,"op":"c"}`, 60) + `}`, `k: must be an object or null, got an object`},
		{"no alternative", limits, `{"e":1.5}`, `e: must be an object or "none", got the number 1.5`},

		{"no JSON", everything, `{"s":`, `not valid JSON: unexpected end of JSON input at byte 5`},
		{"no object", everything, `["x"]`, `must be a JSON object, got a list of 1 item`},
		{"too deep", everything, `{"s":"","any":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`, `nested deeper than 100 levels`},
		{"immensely deep", everything, strings.Repeat("[", 100_000), `not valid JSON: invalid character '[' exceeded max depth at byte 10001`},
		{"no end of problems", `{"type":"object","additionalProperties":false}`, `{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1}`, strings.TrimSuffix(strings.Repeat("?: no such argument; it takes none|", 6), "|")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := compile(json.RawMessage(tt.schema), false)
			if err != nil {
				t.Fatal(err)
			}
			_, _, problems := (&entry{nil, s}).read(json.RawMessage(tt.args))
			var got []string
			for _, p := range problems {
				if p.path == "" {
					got = append(got, p.text)
				} else {
					got = append(got, p.path+": "+p.text)
				}
			}
			all := strings.Join(got, "|")
			if strings.Contains(tt.want, "?: ") {
				for _, key := range "abcdefg" {
					all = strings.ReplaceAll(all, string(key)+": ", "?: ")
				}
			}
			if all != tt.want {
				t.Errorf("got  %s\nwant %s", all, tt.want)
			}
		})
	}
}

// The example in an answer is always right, and there is one unless a rule
// cannot be met by guessing.
func TestExamplesAreRight(t *testing.T) {
	const odd = `{"type":"object","required":["a","b","c","d","e","f","g","h"],"properties":{
		"a":{"type":"integer","exclusiveMinimum":3},
		"b":{"type":"number","exclusiveMaximum":-2.5},
		"c":{"type":"string","minLength":8},
		"d":{"type":"array","items":{"type":"object","properties":{"x":{"type":"boolean"}},"required":["x"]},"minItems":2},
		"e":{"anyOf":[{"type":"null"},{"type":"string"}]},
		"f":{"type":["null","array"]},
		"g":{"const":{"k":[1]}},
		"h":{"type":"string","maxLength":2},
		"i":{"type":"number","minimum":0.5},
		"j":{}
	}}`
	for _, tt := range []struct{ schema, args, want string }{
		{odd, `{}`, `{"a":4,"b":-3.5,"c":"........","d":[{"x":true},{"x":true}],"e":null,"f":[],"g":{"k":[1]},"h":".."}`},
		{odd, `{"a":9,"b":-8,"c":"12345678","d":[],"e":"","f":null,"g":1,"h":"","i":0,"j":"` + strings.Repeat("x", 300) + `"}`, `{"a":9,"b":-8,"c":"12345678","d":[{"x":true},{"x":true}],"e":"","f":null,"g":{"k":[1]},"h":"","i":0.5}`},
		{everything, `{"s":"x","o":{"n":"y"},"numbers":[1,"z"]}`, `{"s":"x","numbers":[1],"o":{"n":1}}`},
		{`{"type":"object","required":["a"],"properties":{"a":{"type":"string","pattern":"^x$"}}}`, `{}`, ``},
		{`{"type":"object","required":["a"],"properties":{"a":{"type":"string","pattern":"^x$","examples":["x"]}}}`, `{}`, `{"a":"x"}`},
		{`{"type":"object","properties":{"a":{"type":"integer","minimum":1e60}}}`, `{"a":1}`, ``},
	} {
		set := NewSet(toolWith(tt.schema, echo))
		_, _, bad := set.Check(Call{Name: "t", Args: json.RawMessage(tt.args)})
		if bad == nil {
			t.Fatalf("%s fits", tt.args)
		}
		_, example, _ := strings.Cut(bad.Text, "Correct arguments look like this: ")
		if example != tt.want {
			t.Errorf("%s: got  %s\nwant %s\nin   %s", tt.args, example, tt.want, bad.Text)
		}
		if example == "" {
			if !strings.Contains(bad.Text, "All arguments of t:") {
				t.Errorf("%s: no example and no explanation: %s", tt.args, bad.Text)
			}
		} else if _, coerced, bad := set.Check(Call{Name: "t", Args: json.RawMessage(example)}); bad != nil || len(coerced) > 0 {
			t.Errorf("the example %s is wrong: %v %v", example, coerced, bad)
		}
	}
}

func TestCompile(t *testing.T) {
	for _, tt := range []struct{ name, schema, want string }{
		{"object", `{"type":"object"}`, ``},
		{"recursive", `{"type":"object","properties":{"a":{"$ref":"#"}}}`, ``},
		{"reference elsewhere", `{"type":"object","properties":{"a":{"$ref":"#/properties/b"},"b":{"type":"integer"}}}`, ``},
		{"not JSON", `{`, `unexpected end of JSON input`},
		{"not a schema", `[]`, `json: cannot unmarshal array`},
		{"no type", `{}`, `want a schema whose type is "object"`},
		{"another type", `{"type":"string"}`, `want a schema whose type is "object"`},
		{"bad keyword", `{"type":"object","properties":[]}`, `json: cannot unmarshal array`},
		{"bad pattern", `{"type":"object","properties":{"a":{"pattern":"("}}}`, `missing closing )`},
		{"unknown reference", `{"type":"object","properties":{"a":{"$ref":"#/$defs/b"}}}`, `$defs`},
		{"refers to itself", `{"type":"object","properties":{"a":{"$ref":"#/$defs/b"}},"$defs":{"b":{"$ref":"#/$defs/c"},"c":{"anyOf":[{"$ref":"#/$defs/b"}]}}}`, `leads back to itself`},
		{"is all of itself", `{"type":"object","allOf":[{"$ref":"#"}]}`, `leads back to itself`},
		{"reference elsewhere in it", `{"type":"object","properties":{"a":{"$ref":"#/properties/b~1c/items"},"b/c":{"items":{"type":"integer"}}}}`, ``},
		{"reference by name", `{"type":"object","properties":{"a":{"$ref":"#n"}},"$defs":{"b":{"$anchor":"n"}}}`, ``},
		{"reference by id", `{"$id":"https://example.org/s","type":"object","properties":{"a":{"$ref":"n"}},"$defs":{"b":{"$id":"n"}}}`, ``},
		{"reference by the id of the whole", `{"$id":"https://example.org/s","type":"object","properties":{"a":{"$ref":"https://example.org/s"},"c":{"$ref":"https://example.org/s#/$defs/b"}},"$defs":{"b":{}}}`, ``},
		{"reference to no schema", `{"type":"object","properties":{"a":{"$ref":"#/properties"}}}`, `#/properties/a: the reference "#/properties" leads to no schema`},
		{"many alternatives", `{"type":"object","properties":{"a":{"anyOf":[` + strings.Repeat(`{"type":"null"},`, 900) + `{}]}}}`, ``},
		{"alternatives that multiply", `{"type":"object","properties":{"a":{"$ref":"#/$defs/0"}},"$defs":{` + doubling(32) + `}}`, `#/$defs/24: alternatives within alternatives come to more than 1000`},
		{"too deep", `{"type":"object","properties":` + strings.Repeat(`{"a":{"properties":`, 60) + `{}` + strings.Repeat(`}}`, 60) + `}`, `nests deeper than 100`},
	} {
		_, err := compile(json.RawMessage(tt.schema), false)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
	}
}

// doubling are definitions of which each is two of the next.
func doubling(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"%d":{"anyOf":[{"$ref":"#/$defs/%d"},{"$ref":"#/$defs/%d"}]},`, i, i+1, i+1)
	}
	return b.String() + fmt.Sprintf(`"%d":{"type":"integer"}`, n)
}

// No schema makes the work grow with a power of the depth: two alternatives that
// may each hold either, at every level.
func TestCheckEnds(t *testing.T) {
	const pair = `{"type":"object","properties":{"k":{"$ref":"#/$defs/k"}},"$defs":{"k":{"anyOf":[
		{"type":"array","items":{"$ref":"#/$defs/k"}},
		{"type":"object","properties":{"in":{"$ref":"#/$defs/k"}},"required":["a"]},
		{"type":"object","properties":{"in":{"$ref":"#/$defs/k"}},"required":["b"]},
		{"type":"integer"}]}}}`
	deep := func(n int, open, end string) string {
		return `{"k":` + strings.Repeat(open, n) + end + strings.Repeat(`}`, n) + `}`
	}
	const costly = "k: cannot be checked: the alternatives of its schema are too many for a value that nests so deep; give a simpler one"
	for _, tt := range []struct{ name, schema, args, want string }{
		{"right and shallow", pair, deep(8, `{"a":1,"b":2,"in":`, `5`), ``},
		{"right and deep", pair, deep(40, `{"a":1,"b":2,"in":`, `5`), costly},
		{"wrong and deep", pair, deep(40, `{"a":1,"b":2,"in":`, `true`), `k: must be a list or an object or an integer, got an object`},
		{"wrong at each level", pair, deep(40, `{"in":`, `5`), `k: must be a list or an object or an integer, got an object`},
		{"no end of lists", `{"type":"object","properties":{"k":{"$ref":"#/$defs/l"}},"$defs":{"l":{"anyOf":[{"type":"array","items":{"$ref":"#/$defs/l"}},{"type":"null"}]}}}`,
			`{"k":"x"}`, `k: must be a list or null, got the string "x"`},
		{"parts that are held against others", `{"type":"object","properties":{"k":{"$ref":"#/$defs/k"}},"$defs":{"k":{
			"patternProperties":{"^i":{"$ref":"#/$defs/k"},"n$":{"$ref":"#/$defs/k"}},"unevaluatedProperties":{"$ref":"#/$defs/k"}}}}`, deep(40, `{"in":`, `5`), costly},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, bad := NewSet(toolWith(tt.schema, echo)).Check(Call{Name: "t", Args: json.RawMessage(tt.args)})
			switch {
			case tt.want == "" && bad != nil:
				t.Errorf("got %s, want that it fits", bad.Text)
			case tt.want != "" && (bad == nil || !strings.HasPrefix(bad.Text, "the arguments of t are wrong:\n- "+tt.want+"\n")):
				t.Errorf("got %+v, want %s", bad, tt.want)
			}
		})
	}
}

// An example stays short, however often a schema needs itself.
func TestExampleEnds(t *testing.T) {
	var props, names []string
	for i := range 30 {
		props = append(props, fmt.Sprintf(`"p%d":{"$ref":"#/$defs/k"}`, i))
		names = append(names, fmt.Sprintf(`"p%d"`, i))
	}
	k := `{"type":"object","properties":{` + strings.Join(props, ",") + `},"required":[` + strings.Join(names, ",") + `]}`
	set := NewSet(toolWith(`{"type":"object","properties":{"k":{"$ref":"#/$defs/k"}},"required":["k"],"$defs":{"k":`+k+`}}`, echo))
	if _, _, bad := set.Check(Call{Name: "t", Args: json.RawMessage(`{}`)}); bad == nil || len(bad.Text) > 1000 {
		t.Errorf("got %d bytes, want a short answer", len(bad.Text))
	}
}

func TestValidate(t *testing.T) {
	s, err := NewSchema(json.RawMessage(` {"type":["array","null"],"items":{"type":"integer"},"maxItems":2}`))
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]string{
		` [1, 2] `: ``,
		`null`:     ``,
		`[1,"2"]`:  `has type "string", want "integer"`,
		`[1,2,3]`:  `maxItems`,
		`[1`:       `not valid JSON`,
		``:         `not valid JSON`,
		strings.Repeat("[", 101) + strings.Repeat("]", 101): `nested deeper than 100 levels`,
	} {
		err := s.Validate(json.RawMessage(value))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.20s: got %v, want %q", value, err, want)
		}
	}
	if _, err := NewSchema(json.RawMessage(`{"$ref":"elsewhere.json"}`)); err == nil {
		t.Error("a schema that needs another one is accepted")
	}
}

func TestSuggest(t *testing.T) {
	names := []string{"read_file", "write_file", "list_files", "search_text", "count_chars", "calc", "run_shell", "edit_file"}
	for _, tt := range []struct{ given, want string }{
		{"raed_file", "read_file"},
		{"ReadFile", "read_file"},
		{"file_read", "read_file"},
		{"read", "read_file"},
		{"read_file_content", "read_file"},
		{"functions.read_file", "read_file"},
		{"fs:read_file", "read_file"},
		{"calculator", "calc"},
		{"calculate", "calc"},
		{"calcs", "calc"},
		{"text_search", "search_text"},
		{"shell", "run_shell"},
		{"list_directory", "list_files"},
		{"open_file", "read_file write_file edit_file"},
		{"weather", ""},
		{"", ""},
		{"___", ""},
		{strings.Repeat("read_file", 20), ""},
	} {
		if got := strings.Join(suggest(tt.given, names, 3), " "); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.given, got, tt.want)
		}
	}
}
