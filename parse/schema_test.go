package parse_test

import (
	"encoding/json"
	"testing"

	"github.com/localagent/localagent/parse"
)

// The text of an argument between tags is typed by what the schema says of it: a
// string where it may be one, JSON where it may not.
func TestSchemaTypes(t *testing.T) {
	for _, x := range []struct{ schema, text, want string }{
		{`{"type":"string"}`, "3", `"3"`},
		{`{"type":"integer"}`, "3", `3`},
		{`{"type":"integer"}`, "three", `"three"`},
		{`{"type":["integer","null"]}`, "3", `3`},
		{`{"type":["integer","null"]}`, "null", `null`},
		{`{"type":["string","null"]}`, "3", `"3"`},
		{`{"anyOf":[{"type":"integer"},{"type":"boolean"}]}`, "true", `true`},
		{`{"oneOf":[{"type":"integer"},{"type":"string"}]}`, "3", `"3"`},
		{`{"items":{"type":"integer"}}`, "[3]", `[3]`},
		{`{"properties":{"b":{"type":"integer"}}}`, `{"b":3}`, `{"b":3}`},
		{`{"description":"anything"}`, "3", `"3"`},
	} {
		o := parse.Options{Tools: []parse.Tool{{Name: "f", Parameters: json.RawMessage(`{"properties":{"a":` + x.schema + `},"type":"object"}`)}}}
		r := parse.Parse("<function=f><parameter=a>"+x.text+"</parameter></function>", o, parse.FinishStop)
		if len(r.Calls) != 1 || string(r.Calls[0].Args) != `{"a":`+x.want+`}` {
			t.Errorf("%s: %q: %+v, want %s", x.schema, x.text, r, x.want)
		}
	}
}
