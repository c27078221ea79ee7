package fuzz_test

import (
	"context"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/localagent/localagent/tools"
)

const fuzzedParameters = `{
	"type": "object", "additionalProperties": false, "required": ["path"],
	"properties": {
		"path":   {"type": "string", "minLength": 1},
		"limit":  {"type": "integer", "minimum": 1, "maximum": 100},
		"ratio":  {"type": "number", "exclusiveMinimum": 0, "multipleOf": 0.5},
		"deep":   {"type": "boolean"},
		"words":  {"type": "array", "items": {"type": "string"}, "uniqueItems": true, "maxItems": 3},
		"unit":   {"type": "string", "enum": ["a", "B", "1"]},
		"either": {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "integer"}}, {"type": "null"}]},
		"kind":   {"anyOf": [
			{"type": "object", "required": ["op"], "properties": {"op": {"const": "a"}, "n": {"type": "string"}}},
			{"type": "object", "required": ["op"], "properties": {"op": {"const": "b"}, "n": {"type": "integer"}, "k": {"$ref": "#/properties/kind"}}}
		]},
		"tree":   {"$ref": "#/$defs/tree"},
		"map":    {"type": "object", "additionalProperties": {"type": ["integer", "string"]}},
		"file_name": {"type": "string", "pattern": "^[a-z.]+$"}
	},
	"$defs": {"tree": {"type": "object", "properties": {"v": {"type": "integer"}, "kids": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}}}
}`

// FuzzCheck: whatever the arguments, Check either refuses them with a reason or
// returns an object that needs no more changes and does not grow out of hand.
func FuzzCheck(f *testing.F) {
	for _, args := range []string{
		`{"path":"x"}`, `{"path":5,"limit":"5","ratio":"0.5","deep":"True"}`, `{"path":["x"],"words":"a","unit":"A"}`,
		`{"Path":"x","limit":null,"x":null}`, `{"path":"x","words":"[\"a\"]","either":"[1,\"2\"]"}`, `{"path":"x","path":"y"}`,
		`{"path":"x","tree":{"v":"1","kids":{"kids":[{}]}}}`, `{"path":"x","map":{"a":1.0,"b":"c"},"fileName":"x"}`, `{"path":"\ud800\u0000"}`,
		`{"path":"x","kind":{"op":"b","n":5}}`, `{"path":"x","kind":{"op":"b","n":"5","k":{"op":"A","n":5}}}`,
		`[`, `null`, ``, `{"limit":1e999999999,"ratio":1e-999999999}`, "{\"path\":\"\xff\"}", `{"tree":{"kids":"[{\"kids\":\"[]\"}]"}}`,
	} {
		f.Add([]byte(args))
	}
	set := tools.NewSet(&tools.Tool{
		Name: "t", Parameters: json.RawMessage(fuzzedParameters),
		Run: func(context.Context, tools.Call) (any, error) { return nil, nil },
	})
	f.Fuzz(func(t *testing.T, args []byte) {
		c := tools.Call{Name: "t", Args: args, Mistakes: &tools.Mistakes{}}
		checked, coerced, bad := set.Check(c)
		if bad != nil {
			if bad.Status != tools.InvalidArgs || bad.Text == "" || !utf8.ValidString(bad.Text) {
				t.Fatalf("refused as %+v", bad)
			}
			set.Check(c)
			if third := set.Do(context.Background(), c); third.Status != tools.InvalidArgs || len(third.Text) < len(bad.Text)/2 {
				t.Fatalf("refused at last as %+v", third)
			}
			return
		}
		var object map[string]json.RawMessage
		if err := json.Unmarshal(checked.Args, &object); err != nil || object["path"] == nil {
			t.Fatalf("%s became %s: %v", args, checked.Args, err)
		}
		if len(coerced) == 0 && len(args) > 0 && string(checked.Args) != string(args) && json.Valid(args) && args[0] == '{' {
			t.Fatalf("%s became %s without a word", args, checked.Args)
		}
		again, more, bad := set.Check(tools.Call{Name: "t", Args: checked.Args})
		if bad != nil || len(more) > 0 || string(again.Args) != string(checked.Args) {
			t.Fatalf("%s became %s, then %s: %v %v", args, checked.Args, again.Args, more, bad)
		}
	})
}
