package tools

import (
	"encoding/json"
	"testing"
)

func TestSignature(t *testing.T) {
	for _, tt := range []struct{ name, description, parameters, want string }{
		{"nothing known", "", ``, `t()`},
		{"no parameters", "Do it.", `{"type":"object"}`, `t(): Do it.`},
		{"first line only", "\n  Read a file.\nMore about it.", `{"type":"object"}`, `t(): Read a file.`},
		{"required and optional", "", `{"type":"object","properties":{"path":{"type":"string"},"limit":{"type":"integer","default":10}},"required":["path"]}`, `t(path: string, limit?: integer = 10)`},
		{"order as written", "", `{"type":"object","properties":{"z":{"type":"number"},"a":{"type":"boolean"}}}`, `t(z?: number, a?: boolean)`},
		{"enum", "", `{"type":"object","properties":{"u":{"type":"string","enum":["c","f"],"default":"c"}}}`, `t(u?: "c"|"f" = "c")`},
		{"lists", "", `{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}},"b":{"type":"array"},"c":{"type":"array","items":{"enum":[1,2]}},"d":{"type":"array","items":{}}}}`, `t(a?: string[], b?: any[], c?: (1|2)[], d?: any[])`},
		{"alternatives", "", `{"type":"object","properties":{"a":{"type":["integer","null"]},"b":{"anyOf":[{"type":"string"},{"type":"null"}]},"c":{}}}`, `t(a?: integer|null, b?: string|null, c?: any)`},
		{"free object", "", `{"type":"object","properties":{"env":{"type":"object","additionalProperties":{"type":"string"}}}}`, `t(env?: object)`},
		{"nested", "Do it.", `{"type":"object","properties":{"o":{"type":"object", "properties":{"n":{"type":"integer"}}}, "s":{"type":"string"}}}`, "t(o?: object, s?: string): Do it.\n  o: {\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}}}"},
		{"nested in a list", "", `{"type":"object","properties":{"l":{"type":"array","items":{"type":"object","properties":{"n":{"type":"integer"}}}}}}`, "t(l?: object[])\n  l: {\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}}}}"},
		{"list of lists", "", `{"type":"object","properties":{"l":{"type":"array","items":{"type":"array","items":{"type":"integer"}}}}}`, "t(l?: any[])\n  l: {\"type\":\"array\",\"items\":{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}}"},
		{"reference", "", `{"type":"object","properties":{"u":{"$ref":"#/$defs/u"}},"$defs":{"u":{"enum":["a","b"]}}}`, `t(u?: "a"|"b")`},
		{"nulls", "", `{"type":"object","properties":null,"required":null,"$defs":null,"enum":null}`, `t()`},
		{"no schema", "Do it.", `[{"type":"object"}]`, `t(): Do it.`},
		{"no schema of anything", "", `{"type":"object","properties":[1]}`, `t()`},
		{"leads back to itself", "", `{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"$ref":"#/$defs/a"}}}`, `t()`},
		{"list of itself", "", `{"type":"object","properties":{"l":{"$ref":"#/$defs/l"}},"$defs":{"l":{"type":"array","items":{"$ref":"#/$defs/l"}}}}`, "t(l?: any[])\n  l: {\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/l\"}}"},
	} {
		tool := Tool{Name: "t", Description: tt.description}
		if tt.parameters != "" {
			tool.Parameters = json.RawMessage(tt.parameters)
		}
		if got := tool.Signature(); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, got, tt.want)
		}
	}
}
