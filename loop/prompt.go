package loop

import (
	_ "embed"
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/localagent/localagent/parse"
	"github.com/localagent/localagent/tools"
)

// promptText holds the parts of the prompt, with rules between them: the tools,
// then how to answer. Words in braces are filled in. (A template engine would
// keep the linker from leaving out every method that is never called.)
//
//go:embed prompt.md
var promptText string

// The parts of promptText.
const (
	partTools = iota
	partSchema
	partPlain // beside tools
	partBare  // without
)

// systemPrompt is the system message of a run: the user's text, the tools, and
// how to use them. It is the same for every request of a run.
func systemPrompt(system string, ts []*tools.Tool, d parse.Dialect, answer json.RawMessage) string {
	parts := strings.Split(promptText, "\n---\n")
	var said []string
	if system != "" {
		said = append(said, system, "")
	}
	if len(ts) > 0 {
		said = append(said, fillTools(parts[partTools], ts, d))
	}
	switch {
	case len(answer) > 0:
		said = append(said, strings.Replace(strings.TrimSpace(parts[partSchema]), "{schema}", string(answer), 1))
	case len(ts) > 0:
		said = append(said, strings.TrimSpace(parts[partPlain]))
	case system == "":
		said = append(said, strings.TrimSpace(parts[partBare]))
	}
	return strings.TrimSpace(strings.Join(said, "\n"))
}

// fillTools puts the signatures of the tools and samples of a call and a result
// into the part that speaks of them.
func fillTools(part string, ts []*tools.Tool, d parse.Dialect) string {
	signatures := make([]string, len(ts))
	for i, t := range ts {
		signatures[i] = "- " + parse.Defuse(t.Signature()) // its words may come from elsewhere
	}
	return strings.NewReplacer(
		"{tools}", strings.Join(signatures, "\n"),
		"{call}", parse.Render(sampleCall(ts), d),
		"{result}", parse.RenderResult(ts[0].Name, string(tools.OK), "…"),
	).Replace(strings.TrimSpace(part))
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
