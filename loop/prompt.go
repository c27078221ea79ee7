package loop

import (
	_ "embed"
	"encoding/json"
	"strings"
	"text/template"

	"github.com/tidwall/gjson"

	"github.com/localagent/localagent/parse"
	"github.com/localagent/localagent/tools"
)

//go:embed prompt.md
var promptText string

var promptTemplate = template.Must(template.New("prompt.md").Parse(promptText))

// promptData is what prompt.md is filled with.
type promptData struct {
	System string
	Tools  []string // signatures
	Call   string   // a call as it should be written
	Result string   // a result as it will come
	Schema string   // of the answer
}

// systemPrompt is the system message of a run: the user's text, the tools, and
// how to use them. It is the same for every request of a run.
func systemPrompt(system string, ts []*tools.Tool, d parse.Dialect, answer json.RawMessage) (string, error) {
	data := promptData{System: system, Schema: string(answer)}
	for _, t := range ts {
		data.Tools = append(data.Tools, t.Signature())
	}
	if len(ts) > 0 {
		data.Call = parse.Render(sampleCall(ts), d)
		data.Result = parse.RenderResult(ts[0].Name, string(tools.OK), "…")
	}
	var b strings.Builder
	if err := promptTemplate.Execute(&b, data); err != nil {
		return "", err
	}
	return strings.TrimSpace(b.String()), nil
}

// sampleCall is a call of the first tool that needs an argument, else of the
// first.
func sampleCall(ts []*tools.Tool) parse.Call {
	for _, t := range ts {
		if args := sampleArgs(t.Parameters); args != "{}" {
			return parse.Call{Name: t.Name, Args: json.RawMessage(args)}
		}
	}
	return parse.Call{Name: ts[0].Name, Args: json.RawMessage("{}")}
}

// sampleArgs are arguments as a call may have them: each required one.
func sampleArgs(schema json.RawMessage) string {
	s := gjson.ParseBytes(schema)
	var fields []string
	for _, name := range s.Get("required").Array() {
		p := s.Get("properties." + gjson.Escape(name.Str))
		fields = append(fields, string(quoteJSON(name.Str))+":"+sampleValue(name.Str, p))
	}
	return "{" + strings.Join(fields, ",") + "}"
}

// sampleValue is a value for a parameter, real enough not to be taken for a
// placeholder.
func sampleValue(name string, p gjson.Result) string {
	for _, known := range []string{"examples.0", "default", "enum.0", "const"} {
		if v := p.Get(known); v.Exists() {
			return v.Raw
		}
	}
	switch p.Get("type").Str {
	case "integer", "number":
		return "1"
	case "boolean":
		return "true"
	case "array":
		return "[]"
	case "object":
		return "{}"
	}
	if strings.Contains(name, "path") || strings.Contains(name, "file") {
		return `"notes.txt"`
	}
	return `"text"`
}
