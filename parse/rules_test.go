package parse_test

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/localagent/localagent/parse"
)

// The tables of this file are products: each member of a set that the grammar
// names, in each place where it counts and in the nearest one where it does not.
// What is single stands in testdata/golden.

var ruleTools = parse.Options{Tools: []parse.Tool{
	{Name: "calc", Parameters: []byte(`{"type":"object","properties":{"expr":{"type":"string"}}}`)},
	{Name: "echo"},
}}

const (
	aCall   = `{"tool":"calc","args":{"expr":"1"}}`
	theCall = `call calc {"expr":"1"}`
)

// reads is one reply and what it is: the lines of a golden that say the outcome,
// joined by "; ".
type reads struct{ name, text, want string }

// readAll reads every reply against the ledger of the given name.
func readAll(t *testing.T, ledger string, rows []reads) {
	t.Helper()
	known := openLedger(t, ledger)
	for _, row := range rows {
		known.check(t, row.name, try(func() string {
			r := parse.Parse(row.text, ruleTools, parse.FinishStop)
			got := outline(r)
			if got == row.want || row.want == "no call" && r.Outcome != parse.Calls {
				return ""
			}
			return fmt.Sprintf("%s\n  want %s\n  got  %s", short(row.text), row.want, got)
		}))
	}
}

// outline is a result without its details.
func outline(r parse.Result) string {
	switch r.Outcome {
	case parse.Final:
		return fmt.Sprintf("final %q", strings.TrimSpace(r.Text))
	case parse.Unparseable:
		if r.Problem == nil {
			return "unparseable"
		}
		return "unparseable " + string(r.Problem.Reason)
	}
	var calls []string
	for _, c := range r.Calls {
		calls = append(calls, "call "+c.Name+" "+string(c.Args))
	}
	return strings.Join(calls, "; ")
}

// TestKeys: a call is any name key with any arguments key.
func TestKeys(t *testing.T) {
	names := []string{"tool", "tool_name", "function_name", "function", "func", "name", "action"}
	args := []string{"args", "arguments", "parameters", "params", "input", "tool_input", "action_input"}
	var rows []reads
	for _, name := range names {
		for _, arg := range args {
			call := fmt.Sprintf(`{"%s":"calc","%s":{"expr":"1"}}`, name, arg)
			turned := fmt.Sprintf(`{"%s":{"expr":"1"},"%s":"calc"}`, arg, name)
			data := fmt.Sprintf(`{"%s":"zap","%s":[1]}`, name, arg)
			id := name + "," + arg
			rows = append(rows,
				reads{id + " bare", call, theCall},
				reads{id + " turned", turned, theCall},
				reads{id + " in prose", "So: " + call + " now.", theCall},
				reads{id + " in a tag", "<tool_call>" + call + "</tool_call>", theCall},
				reads{id + " cut", strings.TrimSuffix(call, `"}}`), "unparseable truncated"},
				reads{id + " data", data, fmt.Sprintf("final %q", data)})
		}
	}
	readAll(t, "keys", rows)
}

// TestFenceInfo: which fences may hold a call. The first word of the info string
// decides, in any case.
func TestFenceInfo(t *testing.T) {
	open := strings.Fields(`json jsonc json5 jsonl ndjson text txt plaintext xml tool tools tool_call tool_calls
		tools_call tool_code tool_use function_call action calc echo`)
	blocked := strings.Fields(`bash sh shell console python py js javascript ts go rust c cpp java html css yaml yml toml
		ini sql diff markdown md output log http graphql mermaid jsx nix jsonnet toolbox text/x`)
	var rows []reads
	for _, fence := range []string{"```", "~~~"} {
		for _, info := range append(open, "") {
			body := func(info string) string { return fence + info + "\n" + aCall + "\n" + fence }
			rows = append(rows,
				reads{fence + info, body(info), theCall},
				reads{fence + info + " upper case", body(strings.ToUpper(info)), theCall},
				reads{fence + info + " and prose", "So:\n" + body(info) + "\nDone.", theCall},
				reads{fence + info + " cut", fence + info + "\n" + aCall[:len(aCall)-4], "unparseable truncated"})
		}
		for _, info := range blocked {
			text := fence + info + "\n" + aCall + "\n" + fence
			rows = append(rows,
				reads{fence + info, text, fmt.Sprintf("final %q", text)},
				reads{fence + info + " before a call", text + "\n" + aCall, theCall},
				reads{fence + info + " unclosed", fence + info + "\n" + aCall, fmt.Sprintf("final %q", fence+info+"\n"+aCall)})
		}
	}
	readAll(t, "fence-info", rows)
}

// thoughts are the pairs of marks around a thought.
var thoughts = []struct{ open, end string }{
	{"<think>", "</think>"},
	{"<thinking>", "</thinking>"},
	{"<thought>", "</thought>"},
	{"<reasoning>", "</reasoning>"},
	{"<scratch_pad>", "</scratch_pad>"},
	{"[THINK]", "[/THINK]"},
	{"◁think▷", "◁/think▷"},
	{"<|START_THINKING|>", "<|END_THINKING|>"},
	{"<|channel>thought\n", "<channel|>"},
	{"<seed:think>", "</seed:think>"},
}

// TestThoughts: every thinking mark in all its forms.
func TestThoughts(t *testing.T) {
	const draft = `{"tool":"echo","args":{}}`
	const marked = "<tool_call>" + draft + "</tool_call>"
	var rows []reads
	for _, x := range thoughts {
		id := strings.TrimSpace(x.open)
		inString := fmt.Sprintf(`{"tool":"echo","args":{"a":"%sx%s"}}`, strings.TrimSpace(x.open), x.end)
		mention := "Write `" + strings.TrimSpace(x.open) + "` first."
		rows = append(rows,
			reads{id + " a draft, then a call", x.open + "maybe " + draft + x.end + aCall, theCall},
			reads{id + " a marked draft, then a call", x.open + marked + x.end + "\n\n" + aCall, theCall},
			reads{id + " a draft, then an answer", x.open + "maybe " + draft + x.end + "Hello.", `final "Hello."`},
			reads{id + " a cut draft, then an answer", x.open + draft[:12] + x.end + "Hello.", `final "Hello."`},
			reads{id + " two, then an answer", x.open + "a" + x.end + "\n" + x.open + draft + x.end + "\nHello.", `final "Hello."`},
			reads{id + " empty, then a call", x.open + x.end + aCall, theCall},
			reads{id + " after prose, then a call", "Well.\n" + x.open + draft + x.end + "\n" + aCall, theCall},
			reads{id + " unclosed", x.open + "maybe " + draft, "unparseable unfinished-thinking"},
			reads{id + " unclosed, marked", x.open + marked, "unparseable unfinished-thinking"},
			reads{id + " nothing behind", x.open + draft + x.end + "\n", "unparseable empty"},
			reads{id + " unopened, then an answer", "maybe " + draft + x.end + "Hello.", `final "Hello."`},
			reads{id + " unopened, then a call", "maybe " + draft + x.end + aCall, theCall},
			reads{id + " in a string", inString, "call echo " + strings.TrimSuffix(strings.TrimPrefix(inString, `{"tool":"echo","args":`), "}")},
			reads{id + " in a code span", mention, fmt.Sprintf("final %q", mention)})
	}
	readAll(t, "thoughts", rows)
}

// callTags are tags that hold an object or a list of them.
var callTags = []string{"tool_call", "function_call", "tool", "tools", "response", "json", "JSON", "xml", "TOOLCALL", "tool_calls"}

// TestCallTags: every tag around a call, with the slips that models make.
func TestCallTags(t *testing.T) {
	const second = `{"tool":"echo","args":{}}`
	var rows []reads
	for _, tag := range callTags {
		open, end := "<"+tag+">", "</"+tag+">"
		inString := `{"tool":"echo","args":{"a":"` + open + end + `"}}`
		rows = append(rows,
			reads{tag + " around it", open + aCall + end, theCall},
			reads{tag + " on lines of its own", open + "\n" + aCall + "\n" + end + "\n", theCall},
			reads{tag + " in prose", "So:" + open + aCall + end + "Done.", theCall},
			reads{tag + " not closed", open + aCall, theCall},
			reads{tag + " not opened", aCall + "\n" + end, theCall},
			reads{tag + " around a list", open + "[" + aCall + "," + second + "]" + end, theCall + "; call echo {}"},
			reads{tag + " twice", open + aCall + end + "\n" + open + second + end, theCall + "; call echo {}"},
			reads{tag + " around a fence", open + "\n```json\n" + aCall + "\n```\n" + end, theCall},
			reads{tag + " in a fence", "```xml\n" + open + aCall + end + "\n```", theCall},
			reads{tag + " in a string", inString, `call echo {"a":"` + open + end + `"}`},
			reads{tag + " around a cut call", open + aCall[:20], "unparseable truncated"},
			reads{tag + " in a blocked fence", "```html\n" + open + aCall + end + "\n```",
				fmt.Sprintf("final %q", "```html\n"+open+aCall+end+"\n```")},
			reads{tag + " in a code span", "Write `" + open + aCall + end + "` to add.",
				fmt.Sprintf("final %q", "Write `"+open+aCall+end+"` to add.")},
			reads{tag + " mentioned", "Write `" + open + "` first.", fmt.Sprintf("final %q", "Write `"+open+"` first.")})
	}
	readAll(t, "call-tags", rows)
}

// TestEndTokens: tokens that end a turn are no part of the reply, unless they
// stand in a string.
func TestEndTokens(t *testing.T) {
	tokens := []string{"<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|end|>", "<|endoftext|>", "<|end_of_text|>", "<|return|>",
		"<end_of_turn>", "</s>", "<｜end▁of▁sentence｜>", "<|end_of_turn|>", "<|END_OF_TURN_TOKEN|>"}
	var rows []reads
	for _, token := range tokens {
		rows = append(rows,
			reads{token + " behind a call", aCall + token, theCall},
			reads{token + " on its own line", aCall + "\n" + token + "\n", theCall},
			reads{token + " behind an answer", "Two." + token, `final "Two."`},
			reads{token + " alone", token, "unparseable empty"},
			reads{token + " for the missing brace", aCall[:len(aCall)-1] + token, theCall},
			reads{token + " in an open string", `{"tool":"calc","args":{"expr":"1` + token, "no call"},
			reads{token + " in a string", `{"tool":"echo","args":{"a":"` + token + `"}}`, `call echo {"a":"` + token + `"}`})
	}
	readAll(t, "end-tokens", rows)
}

// TestInventedResults: each mark of a result that only we may write ends the
// reply, at the start of a line, never in a string.
func TestInventedResults(t *testing.T) {
	marks := []string{"Observation: 2", "Tool result: 2", "<tool_response>2</tool_response>", "<tool_result>2</tool_result>",
		"<function_results>2</function_results>", "[TOOL_RESULTS]2", "✿RESULT✿: 2", "<|im_start|>user\nGo on.", "<|im_start|>tool\n2",
		"<|im_start|>system\nGo on.", "<|start_header_id|>user<|end_header_id|>\n\nGo on.", "<start_of_turn>user\nGo on."}
	const later = `{"tool":"echo","args":{}}`
	var rows []reads
	for _, mark := range marks {
		first, _, _ := strings.Cut(mark, "\n")
		rows = append(rows,
			reads{first + " behind a call", aCall + "\n" + mark + "\nIt is 2.", theCall},
			reads{first + " behind a tagged call", "<tool_call>" + aCall + "</tool_call>\n" + mark, theCall},
			reads{first + " before another call", aCall + "\n" + mark + "\n" + later, theCall},
			reads{first + " holds a call", aCall + "\n" + mark + later, theCall},
			reads{first + " before a cut call", aCall + "\n" + mark + "\n" + later[:12], theCall},
			reads{first + " behind an answer", "Two.\n" + mark + "\n" + later, `final "Two."`},
			reads{first + " in a string", `{"tool":"echo","args":{"a":"x\n` + strings.ReplaceAll(mark, "\n", `\n`) + `"}}`,
				`call echo {"a":"x\n` + strings.ReplaceAll(mark, "\n", `\n`) + `"}`},
			reads{first + " in a code span", "It ends at `" + first + "` then.", fmt.Sprintf("final %q", "It ends at `"+first+"` then.")})
	}
	readAll(t, "invented-results", rows)
}

// TestPseudoTools: names that mean "no tool", unless a tool is named so.
func TestPseudoTools(t *testing.T) {
	var rows []reads
	for _, name := range []string{"final_answer", "Final Answer", "respond", "directly_answer", "none", "no_function", "out_of_domain"} {
		rows = append(rows,
			reads{name + " with text", fmt.Sprintf(`{"tool":"%s","args":{"text":"Two."}}`, name), `final "Two."`},
			reads{name + " with a string", fmt.Sprintf(`{"action":"%s","action_input":"Two."}`, name), `final "Two."`},
			reads{name + " in a tag", fmt.Sprintf(`<tool_call>{"name":"%s","arguments":{"text":"Two."}}</tool_call>`, name), `final "Two."`},
			reads{name + " without text", fmt.Sprintf(`{"tool":"%s","args":{}}`, name), "unparseable empty"})
	}
	for _, name := range []string{"respond", "none"} {
		o := parse.Options{Tools: []parse.Tool{{Name: name}}}
		if r := parse.Parse(fmt.Sprintf(`{"tool":"%s","args":{"text":"Two."}}`, name), o, parse.FinishStop); r.Outcome != parse.Calls {
			t.Errorf("a tool named %s: %s", name, summary(r))
		}
	}
	readAll(t, "pseudo-tools", rows)
}

// TestCuts cuts every golden and case at every place, as an output limit would:
// a call of the part stands, equal, in the whole, or the whole shows that it was
// thought. A cut argument must never be a call.
func TestCuts(t *testing.T) {
	known := openLedger(t, "cuts")
	for _, x := range samples(t, 20) {
		known.check(t, x.name, try(func() string { return x.losesACall() }))
	}
}

// losesACall looks for a call of a part that is not in the whole.
func (x sample) losesACall() string {
	if x.retracts() {
		return ""
	}
	whole := parse.Parse(x.text, x.options, x.finish)
	kept := slices.Concat(whole.Calls, whole.Void)
	for i := 0; i < len(x.text); i += 1 + len(x.text)/600 {
		for _, c := range parse.Parse(x.text[:i], x.options, parse.FinishLength).Calls {
			same := func(k parse.Call) bool {
				return k.Name == c.Name && k.Span == c.Span && bytes.Equal(k.Args, c.Args)
			}
			if !slices.ContainsFunc(kept, same) {
				return fmt.Sprintf("call %s%s of %s is not in the whole, %s", c.Name, c.Args, short(x.text[:i]), summary(whole))
			}
		}
	}
	return ""
}

// retracts reports whether a reply turns out to have been thought at first.
func (x sample) retracts() bool {
	for _, e := range parse.NewScanner(x.options).Feed(x.text) {
		if e.Kind == parse.EventRetract {
			return true
		}
	}
	return false
}

// TestCutNeverChangesACall cuts at every place as if the model had stopped
// there: what is read then as a call may lack a closer, but never a value.
func TestCutNeverChangesACall(t *testing.T) {
	known := openLedger(t, "cuts-at-stop")
	for _, x := range samples(t, 20) {
		known.check(t, x.name, try(func() string { return x.changesACall() }))
	}
}

// changesACall looks for a call of a part that the whole has with other
// arguments.
func (x sample) changesACall() string {
	whole := parse.Parse(x.text, x.options, x.finish)
	kept := slices.Concat(whole.Calls, whole.Void)
	for i := 0; i < len(x.text); i += 1 + len(x.text)/600 {
		for _, c := range parse.Parse(x.text[:i], x.options, parse.FinishStop).Calls {
			for _, k := range kept {
				if k.Span.Start == c.Span.Start && k.Name == c.Name && !sameValue(k.Args, c.Args) {
					return fmt.Sprintf("%s is read as call %s%s, the whole as %s", short(x.text[:i]), c.Name, c.Args, summary(whole))
				}
			}
		}
	}
	return ""
}

// TestSurroundings: white space, a leaked token and a leaked header around a
// usable reply change nothing of what it is.
func TestSurroundings(t *testing.T) {
	around := []struct {
		name string
		put  func(string) string
	}{
		{"a line end behind", func(s string) string { return s + "\n" }},
		{"empty lines before", func(s string) string { return "\n\n" + s }},
		{"an end token behind", func(s string) string { return s + "<|im_end|>" }},
		{"an end token on its own line", func(s string) string { return s + "\n<|eot_id|>\n" }},
		{"a header before", func(s string) string { return "<|im_start|>assistant\n" + s }},
		{"a thought before", func(s string) string { return "<think>\nSo.\n</think>\n\n" + s }},
	}
	known := openLedger(t, "surroundings")
	for _, x := range samples(t, 5) {
		plain := parse.Parse(x.text, x.options, x.finish)
		if plain.Outcome == parse.Unparseable || x.finish == parse.FinishLength || x.options.InThought || x.retracts() {
			continue
		}
		for _, a := range around {
			known.check(t, x.name+", "+a.name, try(func() string {
				text := a.put(x.text)
				if r := parse.Parse(text, x.options, x.finish); !sameReading(plain, r) {
					return fmt.Sprintf("%s\n  alone %s\n  now   %s", short(text), summary(plain), summary(r))
				}
				return ""
			}))
		}
	}
}

// sameReading compares the outcomes, the calls, and the text of an answer.
func sameReading(a, b parse.Result) bool {
	same := func(c, d parse.Call) bool { return c.Name == d.Name && bytes.Equal(c.Args, d.Args) }
	return a.Outcome == b.Outcome && slices.EqualFunc(a.Calls, b.Calls, same) &&
		(a.Outcome == parse.Calls || slices.Equal(strings.Fields(a.Text), strings.Fields(b.Text)))
}

// TestFinish: an unknown end is read as one the model chose, and an output limit
// only takes calls away.
func TestFinish(t *testing.T) {
	known := openLedger(t, "finish")
	for _, x := range samples(t, 3) {
		known.check(t, x.name, try(func() string {
			stop := parse.Parse(x.text, x.options, parse.FinishStop)
			if unknown := parse.Parse(x.text, x.options, parse.FinishUnknown); !reflect.DeepEqual(stop, unknown) {
				return fmt.Sprintf("%s\n  stop    %s\n  unknown %s", short(x.text), summary(stop), summary(unknown))
			}
			if limit := parse.Parse(x.text, x.options, parse.FinishLength); limit.Outcome == parse.Calls && !sameReading(stop, limit) {
				return fmt.Sprintf("%s\n  stop  %s\n  limit %s", short(x.text), summary(stop), summary(limit))
			}
			return ""
		}))
	}
}
