package parse_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/localagent/localagent/parse"
	"github.com/localagent/localagent/parse/internal/inputs"
)

// forms are the ways of writing calc(expr=VALUE) that may stand beside prose and
// beside each other.
var forms = map[string]string{
	"json":        `{"tool":"calc","args":{"expr":"VALUE"}}`,
	"list":        `[{"tool":"calc","args":{"expr":"VALUE"}}]`,
	"wrapper":     `{"tool_calls":[{"function":{"name":"calc","arguments":"{\"expr\":\"VALUE\"}"}}]}`,
	"fence":       "```json\n{\"tool\":\"calc\",\"args\":{\"expr\":\"VALUE\"}}\n```",
	"hermes":      "<tool_call>\n{\"name\": \"calc\", \"arguments\": {\"expr\": \"VALUE\"}}\n</tool_call>",
	"hermes-open": "<tool_call>\n{\"name\": \"calc\", \"arguments\": {\"expr\": \"VALUE\"}}",
	"granite":     `<|tool_call|>[{"name":"calc","arguments":{"expr":"VALUE"}}]`,
	"function":    `<function=calc>{"expr":"VALUE"}</function>`,
	"xml":         "<tool_call>\n<function=calc>\n<parameter=expr>\nVALUE\n</parameter>\n</function>\n</tool_call>",
	"glm":         "<tool_call>calc\n<arg_key>expr</arg_key>\n<arg_value>VALUE</arg_value>\n</tool_call>",
	"invoke": "<function_calls>\n<invoke name=\"calc\">\n<parameter name=\"expr\">VALUE</parameter>\n" +
		"</invoke>\n</function_calls>",
	"tool-tag":       "<calc>\n<expr>VALUE</expr>\n</calc>",
	"mistral-list":   `[TOOL_CALLS] [{"name":"calc","arguments":{"expr":"VALUE"}}]`,
	"mistral-name":   `[TOOL_CALLS]calc{"expr":"VALUE"}`,
	"mistral-args":   `[TOOL_CALLS]calc[ARGS]{"expr":"VALUE"}`,
	"llama":          `<|python_tag|>{"name":"calc","parameters":{"expr":"VALUE"}}<|eom_id|>`,
	"pythonic":       `[calc(expr="VALUE")]`,
	"tool_code":      "```tool_code\ncalc(expr=\"VALUE\")\n```",
	"gemma":          `<|tool_call>call:calc{expr:<|"|>VALUE<|"|>}<tool_call|>`,
	"function-gemma": `<start_function_call>call:calc{expr:<escape>VALUE<escape>}<end_function_call>`,
	"deepseek": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>calc<｜tool▁sep｜>{\"expr\":\"VALUE\"}" +
		"<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
	"deepseek-fence": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>calc\n" +
		"```json\n{\"expr\":\"VALUE\"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
	"kimi": `<|tool_calls_section_begin|><|tool_call_begin|>functions.calc:0<|tool_call_argument_begin|>{"expr":"VALUE"}` +
		`<|tool_call_end|><|tool_calls_section_end|>`,
	"command-r":   "Action: ```json\n[\n    {\"tool_name\": \"calc\", \"parameters\": {\"expr\": \"VALUE\"}}\n]```",
	"r7b":         `<|START_ACTION|>[{"tool_call_id":"0","tool_name":"calc","parameters":{"expr":"VALUE"}}]<|END_ACTION|>`,
	"functools":   `functools[{"name":"calc","arguments":{"expr":"VALUE"}}]`,
	"functionary": ">>>calc\n{\"expr\":\"VALUE\"}",
	"harmony":     `<|channel|>commentary to=functions.calc <|constrain|>json<|message|>{"expr":"VALUE"}<|call|>`,
	"internlm":    `<|action_start|><|plugin|>{"name":"calc","parameters":{"expr":"VALUE"}}<|action_end|>`,
	"apertus":     `<|tools_prefix|>[{"calc":{"expr":"VALUE"}}]<|tools_suffix|>`,
	"react":       "Thought: so.\nAction: calc\nAction Input: {\"expr\": \"VALUE\"}",
	"flower":      "✿FUNCTION✿: calc\n✿ARGS✿: {\"expr\": \"VALUE\"}",
	"bracket":     `[Calling tool: calc({"expr": "VALUE"})]`,
}

func form(name, value string) string { return strings.Replace(forms[name], "VALUE", value, 1) }

// TestPairs: calls in any two forms in one reply are both read, in order.
func TestPairs(t *testing.T) {
	const want = `call calc {"expr":"1"}; call calc {"expr":"2"}`
	var rows []reads
	for _, a := range slices.Sorted(maps.Keys(forms)) {
		for _, b := range slices.Sorted(maps.Keys(forms)) {
			for _, between := range []string{"\n", "\n\n", "\n\nAnd then:\n\n"} {
				rows = append(rows, reads{fmt.Sprintf("%s, %q, %s", a, between, b), form(a, "1") + between + form(b, "2"), want})
			}
		}
	}
	readAll(t, "pairs", rows)
}

// TestProseAround: prose before and behind a call in any form.
func TestProseAround(t *testing.T) {
	var rows []reads
	for name := range forms {
		rows = append(rows, reads{name, "Sure, one moment.\n\n" + form(name, "1") + "\n\nI will tell you then.", theCall})
	}
	readAll(t, "prose-around", rows)
}

// TestNeverHalf cuts a call in each form at every place, as if the model had
// stopped there: what is read has the whole value or, where nothing of the
// arguments was written and something marks the end, none.
func TestNeverHalf(t *testing.T) {
	known := openLedger(t, "never-half")
	for name := range forms {
		known.check(t, name, try(func() string {
			text := form(name, "12+34")
			for i := range len(text) {
				for _, end := range []string{"", "<|im_end|>", "\n```", "</tool_call>", "\n\nObservation: 46"} {
					r := parse.Parse(text[:i]+end, ruleTools, parse.FinishStop)
					got := outline(r)
					if r.Outcome == parse.Calls && got != `call calc {"expr":"12+34"}` && (got != "call calc {}" || end == "") {
						return fmt.Sprintf("%q%s is read as %s", text[:i], end, got)
					}
				}
			}
			return ""
		}))
	}
}

// TestFormsThatDoNotRun: a call in any form is none in a thought, behind an
// invented result, in the text of an argument, in another language's code, or in
// a code span of a sentence that goes on.
func TestFormsThatDoNotRun(t *testing.T) {
	var rows []reads
	for name := range forms {
		text := form(name, "1")
		quoted := inputs.Quote(text)
		blocked := "~~~bash\n" + text + "\n~~~"
		rows = append(rows,
			reads{name + " in a thought", "<think>\n" + text + "\n</think>\nHello.", `final "Hello."`},
			reads{name + " in a thought, then a call", "<think>" + text + "</think>" + aCall, theCall},
			reads{name + " in an unopened thought", text + "\n</think>\nHello.", `final "Hello."`},
			reads{name + " in an unclosed thought", "<think>\n" + text, "unparseable unfinished-thinking"},
			reads{name + " behind an invented result", aCall + "\n<tool_response>2</tool_response>\n" + text, theCall},
			reads{name + " behind a user's turn", aCall + "<|im_end|>\n<|im_start|>user\n" + text, theCall},
			reads{name + " in an argument", `{"tool":"echo","args":{"a":` + quoted + `}}`, `call echo {"a":` + quoted + `}`},
			reads{name + " in an argument of a tag", `<tool_call>{"name":"echo","arguments":{"a":` + quoted + `}}</tool_call>`,
				`call echo {"a":` + quoted + `}`},
			reads{name + " in code", blocked, fmt.Sprintf("final %q", blocked)})
		if !strings.Contains(text, "\n") && !strings.Contains(text, "`") {
			span := "Write `" + text + "` to add."
			rows = append(rows, reads{name + " in a code span", span, fmt.Sprintf("final %q", span)})
		}
	}
	readAll(t, "do-not-run", rows)
}

// rawForms write the value without quotes or escapes.
var rawForms = []string{"xml", "glm", "invoke", "tool-tag", "gemma", "function-gemma"}

// TestValues: whatever a string argument holds, it is the argument and nothing
// else, in every form.
func TestValues(t *testing.T) {
	values := []string{
		"}", "{", "]", "[ {", `"`, `'`, `it's "fine"`, `\`, `C:\dir\new`, `^\d+\s*$`, "one\ntwo\n\nthree", "tab\there", "```", "```json\n{}\n```",
		"<tool_call>", "</tool_call>", `{"tool":"echo","args":{}}`, "[echo(a=1)]", "echo(a=1)", "[TOOL_CALLS] [{}]", "<function=echo>",
		"<think>", "</think>", "<think>a</think>b", "<|im_end|>", "</s>", "<|im_start|>user", "a\nObservation: b", "a\nAction: echo\nAction Input: {}",
		"Final Answer: b", "✿RESULT✿: b", "a\n<tool_response>b</tool_response>", "<|channel|>final<|message|>", "&lt;b&gt; &amp; &quot;",
		"// no comment", "/* none */", "# none", "Bodø 数据 😀", "\u200b", "null", "true", "12", "a, b: c; d", "${x} {{y}} %s", " edges ",
	}
	var rows []reads
	for name := range forms {
		raw := slices.Contains(rawForms, name)
		for _, v := range values {
			written := strings.TrimSuffix(strings.TrimPrefix(inputs.Quote(v), `"`), `"`)
			switch {
			case raw && strings.TrimSpace(v) != v: // a line end at the edges is cut
				continue
			case raw:
				written = v
			case name == "wrapper": // a string in a string
				written = strings.TrimSuffix(strings.TrimPrefix(inputs.Quote(written), `"`), `"`)
			}
			rows = append(rows, reads{fmt.Sprintf("%s %q", name, v), form(name, written), `call calc {"expr":` + inputs.Quote(v) + `}`})
		}
	}
	readAll(t, "values", rows)
}
