package tools

import (
	"encoding/json"
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
			s, resolved, err := compile(json.RawMessage(tt.schema), false)
			if err != nil {
				t.Fatal(err)
			}
			_, _, problems := (&entry{nil, s, resolved}).read(json.RawMessage(tt.args))
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
		{"too deep", `{"type":"object","properties":` + strings.Repeat(`{"a":{"properties":`, 60) + `{}` + strings.Repeat(`}}`, 60) + `}`, `nests deeper than 100`},
	} {
		_, _, err := compile(json.RawMessage(tt.schema), false)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
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
