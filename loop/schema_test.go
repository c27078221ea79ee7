package loop

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/localagent/localagent/tools"
)

func TestBoundedSchema(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"none", ``, `{"type":"object"}`},
		{"not JSON", `{`, `{"type":"object"}`},
		{"a reference", `{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}}}`, `{"type":"object"}`},
		{"a string", `{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"integer"}},"required":["b"]}`,
			`{"type":"object","properties":{"b":{"type":"string","maxLength":1000},"a":{"type":"integer"}},"required":["b"],"additionalProperties":false}`},
		{"its own limit", `{"type":"string","maxLength":7}`, `{"type":"string","maxLength":7}`},
		{"a limit too high", `{"maxLength":99999,"type":"string"}`, `{"type":"string","maxLength":1000}`},
		{"an enum", `{"type":"string","enum":["a","b"]}`, `{"type":"string","enum":["a","b"]}`},
		{"a list of strings", `{"type":["array","null"],"items":{"type":"string"}}`,
			`{"type":["array","null"],"items":{"type":"string","maxLength":1000},"maxItems":50}`},
		{"alternatives", `{"anyOf":[{"type":"string"},{"type":"integer"}]}`, `{"anyOf":[{"type":"string","maxLength":1000},{"type":"integer"}]}`},
		{"words a grammar has no use for", `{"title":"x","default":"y","type":"string","description":"d"}`, `{"type":"string","description":"d","maxLength":1000}`},
		{"a map", `{"type":"object","additionalProperties":{"type":"string"}}`, `{"type":"object","additionalProperties":{"type":"string","maxLength":1000}}`},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, string(boundedSchema(json.RawMessage(tt.in)))); diff != "" {
			t.Errorf("%s:\n%s", tt.name, diff)
		}
	}
}

func TestReplySchema(t *testing.T) {
	var s jsonschema.Schema
	if err := json.Unmarshal(replySchema(toolbox().All(), nil), &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		reply string
		fits  bool
	}{
		{`{"answer":"42"}`, true},
		{`{"answer":""}`, false},
		{`{"answer":"` + strings.Repeat("x", maxAnswer+1) + `"}`, false},
		{`{"answer":"42","tool":"echo"}`, false},
		{`{"tool":"echo","args":{"text":"hi"}}`, true},
		{`{"tool":"echo","args":{}}`, false},
		{`{"tool":"rm","args":{}}`, false},
		{`{"tool":"tick","args":{}}`, true},
		{`{"tool":"echo","args":{"text":"` + strings.Repeat("x", maxArgument+1) + `"}}`, false},
		{`[]`, false},
	}
	for _, tt := range tests {
		var v any
		if err := json.Unmarshal([]byte(tt.reply), &v); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(v); (err == nil) != tt.fits {
			t.Errorf("%.60s: %v", tt.reply, err)
		}
	}
}

func TestSchemaAnswer(t *testing.T) {
	tests := []struct {
		in, want string
		ok       bool
	}{
		{`{"answer":"42"}`, "42", true},
		{` {"answer": "a \"b\"\n" } `, "a \"b\"\n", true},
		{`{"answer":{"n":42}}`, `{"n":42}`, true},
		{`{"tool":"f","args":{}}`, "", false},
		{`{"tool":"f","answer":"x"}`, "", false},
		{`{"answer":"cut`, "", false},
		{`plain`, "", false},
	}
	for _, tt := range tests {
		if got, ok := schemaAnswer(tt.in); got != tt.want || ok != tt.ok {
			t.Errorf("schemaAnswer(%q) = %q, %v", tt.in, got, ok)
		}
	}
}

var planet = json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"},"moons":{"type":"integer"}},"required":["name","moons"],"additionalProperties":false}`)

// The final answer fits Agent.Schema or the run has none.
func TestAnswerSchema(t *testing.T) {
	good := `{"name":"Mars","moons":2}`
	tests := []struct {
		name     string
		set      *tools.Set
		lines    []line
		stop     Stop
		answer   string
		requests int
		held     int // index of the first request held to the schema
	}{
		{"without tools, at once", nil, []line{says(good)}, StopFinal, good, 1, 0},
		{"in a fence", nil, []line{says("```json\n" + good + "\n```")}, StopFinal, good, 1, 0},
		{"with tools, right by itself", toolbox(), []line{calls(use("echo", "text", "a")), says(good)}, StopFinal, good, 2, -1},
		{"with tools, asked for", toolbox(), []line{says("Mars has two moons."), says(good)}, StopFinal, good, 2, 1},
		{"asked for again", toolbox(), []line{says("Mars has two moons."), says(`{"name":"Mars"}`), says(good)}, StopFinal, good, 3, 1},
		{"in the last try", nil, []line{says("Mars"), says("Mars"), says(`{"answer":` + good + `}`)}, StopFinal, good, 3, 0},
		{"never", toolbox(), slices.Repeat([]line{says("Mars")}, 9), StopUnparseable, "", 4, 1},
		{"cut", nil, []line{cuts(`{"name":"Mars","moons":2}`), says(good)}, StopFinal, good, 2, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res, s, _ := runScript(t, &Agent{Tools: tt.set, Schema: planet}, tt.lines...)
			if res.Stop != tt.stop || (tt.stop == StopFinal && res.Answer != tt.answer) || len(s.requests) != tt.requests {
				t.Errorf("%q, %q (%v) after %d requests", res.Stop, res.Answer, res.Err, len(s.requests))
			}
			held := -1
			for i, req := range s.requests {
				if held < 0 && string(req.Schema) == string(planet) {
					held = i
				}
			}
			if held != tt.held {
				t.Errorf("request %d is held to the schema, want %d", held, tt.held)
			}
		})
	}
}
