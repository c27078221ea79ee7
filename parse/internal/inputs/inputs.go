// Package inputs makes the texts that the parser's speed is measured on. A text
// depends on its name and size alone, so every run and every peer reads the
// same bytes.
package inputs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
)

// Tools are the names that the calls in the texts use.
var Tools = []string{"search_files", "write_file", "calc"}

// Natural are the names of texts as models write them: one call alone; prose
// around a fenced call; reasoning with a decoy before a tagged call; prose; an
// answer in Markdown with code but no call; a call with the usual slips, cut at
// its end; the same, whole; a call that is one big string.
var Natural = []string{"bare", "chatty", "think", "prose", "answer", "broken", "slips", "write"}

// Hostile are the names of texts that tempt a parser into reading again and
// again what it has read.
var Hostile = []string{
	"adv_brace", "adv_objkey", "adv_fence", "adv_fencews", "adv_quote", "adv_quoteobj", "adv_tag",
	"adv_array", "adv_nestbad", "adv_openstr", "adv_callopen", "adv_inner", "adv_closed", "adv_tick",
}

// Tempting are the units of further hostile texts, each repeated without end and
// numbered, so that no repetition is found, some behind a long indentation: an opening, a closing or half a form
// of every dialect, and what decides the reading of all that stands around it.
var Tempting = map[string]string{
	"rep_lines":       "\n",
	"rep_spaces":      " ",
	"rep_less":        "<",
	"rep_bracket":     "[",
	"rep_ticks":       "` `` ``` ```` ",
	"rep_tickwords":   "`a ",
	"rep_span":        "`{\"a\":1}` and ",
	"rep_think":       "a <think> ",
	"rep_thinkclose":  "a </think> ",
	"rep_thinkpair":   "<think>a</think>",
	"rep_params":      "<function=calc><parameter=expr>",
	"rep_paramclose":  "<function=calc><parameter=expr></parameter> x",
	"rep_invoke":      "<invoke name=\"calc\"><parameter name=\"expr\">",
	"rep_glm":         "<tool_call>calc<arg_key>expr</arg_key><arg_value>",
	"rep_tooltag":     "<calc><expr>",
	"rep_function":    "<function=calc>{\"expr\":\"",
	"rep_mistral":     "[TOOL_CALLS]calc{",
	"rep_pylist":      "[calc(expr=\"1\"), ",
	"rep_pyopen":      "[calc(expr=[",
	"rep_pyline":      "[calc(expr=\"1\")] ",
	"rep_expression":  "calc(expr=\"1\") ",
	"rep_calls":       "[{\"name\":\"calc\",\"arguments\":{}},",
	"rep_gemma":       "<|tool_call>call:calc{expr:<|\"|>",
	"rep_deepseek":    "<｜tool▁call▁begin｜>calc<｜tool▁sep｜>",
	"rep_kimi":        "<|tool_call_begin|>functions.calc:0<|tool_call_argument_begin|>",
	"rep_harmony":     "<|start|>assistant<|channel|>commentary to=functions.calc<|message|>",
	"rep_channel":     "<|channel|>analysis<|message|>a<|end|>",
	"rep_action":      "Action: calc\nAction Input: ",
	"rep_final":       "Final Answer: a\n",
	"rep_flower":      "✿FUNCTION✿: calc\n",
	"rep_functionary": ">>>calc\n",
	"rep_functools":   "functools[",
	"rep_soft":        "<json><response><tools>",
	"rep_comment":     "{\"a\":1 /* b */ // c\n",
	"rep_single":      "{'a':'b' ",
	"rep_smart":       "{“a”:“b” ",
	"rep_escape":      "{\"a\":\"\\d",
	"rep_doubled":     "{\\\"a\\\":",
	"rep_keys":        "{\"tool\":\"calc\",\"tool\":",
	"rep_wrapper":     "{\"tool_calls\":[",
	"rep_fences":      "```\n~~~\n",
	"rep_nestfence":   "```md\n```json\n",
	"rep_observation": "Observation",
	"rep_tokens":      "<|im_start|>assistant\n<|im_end|>\n",
	"rep_label":       "a: - * 1. ",
	"rep_surrogate":   "{\"a\":\"\\ud83d",
	"rep_keyed":       "{\"write_file\":{\"a\":1},\"calc\":{}} ",
	"rep_callid":      "[TOOL_CALLS]calc[CALL_ID]abc[ARGS]{}\n",
	"rep_twice":       "<parameter=expr>1</parameter>",
	"rep_badthink":    "<tool_call>bad</tool_call> a <think> b </think> c\n",
	"rep_midcalls":    "```\ncalc(expr=\"1\")\n```\nand ",
	"rep_infobrace":   "{",
	"rep_openspaces":  " ",
	"indented_colon":  ":",
	"indented_tildes": " ~~~ ",
	"indented_list":   " [\"a\"] ",
	"indented_part":   "<|message|>",
	"indented_info":   "(",
}

// heads stand before some of the texts of Tempting.
var heads = map[string]string{
	"rep_twice":      "<function=calc><parameter=expr>1</parameter>",
	"rep_midcalls":   "I use <think> here\n",
	"rep_infobrace":  "So ```a",
	"rep_openspaces": "So {",
	"indented_info":  "```",
}

// Make returns the named text at about n bytes. It panics when there is none of
// that name.
func Make(name string, n int) string {
	w := newWriter(name, n)
	switch name {
	case "bare":
		w.call(n)
	case "chatty":
		w.prose(n / 2)
		w.WriteString("\n\n```json\n")
		w.call(n / 4)
		w.WriteString("\n```\n\n")
		w.prose(n - w.Len())
	case "think":
		w.think(n)
	case "prose":
		w.prose(n)
	case "answer":
		w.answer(n)
	case "broken":
		w.broken(n)
	case "slips":
		w.brokenHead()
		w.slips(n)
		w.WriteString("\"last\": [1, {\"x\": \"end\"}]}}")
	case "write":
		return writeCall(w, n)
	default:
		return hostile(w, name, n)
	}
	return w.String()
}

func hostile(w *writer, name string, n int) string {
	switch name {
	case "adv_brace":
		return times("{", n)
	case "adv_objkey":
		return times(`{"a":`, n)
	case "adv_fence":
		return times("```json\n", n)
	case "adv_fencews": // one opened fence, then white space alone
		return "```json\n" + times(" \n", n-8)
	case "adv_quote":
		w.mix(n, `"`, `\`)
	case "adv_quoteobj": // the same mix inside an opened object
		w.WriteString(`{"name":"calc","arguments":{"x":"`)
		w.mix(n, `"`, `\`, `{`, `}`, `a`)
	case "adv_tag":
		return times("<tool_call>", n)
	case "adv_array": // n/2 deep, closed
		return times("[", n/2) + times("]", n/2)
	case "adv_nestbad": // balanced, never valid, at every depth
		return times("{a ", n/4*3) + times("}", n/4)
	case "adv_openstr": // each brace opens an object whose string never ends well
		return times(`{"name":"x`, n)
	case "adv_callopen": // calls whose arguments close but which never close themselves
		return times(`{"name":"calc","arguments":{"x":1},`, n)
	case "adv_inner": // complete calls inside an outer object that never ends
		return `{"list":[` + times(`{"name":"calc","arguments":{"x":1}},`, n-9)
	case "adv_closed": // very many small objects that are no calls
		return times(`{"a":1} `, n)
	case "adv_tick":
		return times("`", n)
	default:
		unit, ok := Tempting[name]
		if !ok {
			panic("inputs: no text is named " + name)
		}
		w.WriteString(heads[name])
		if strings.HasPrefix(name, "indented_") { // half of it a line's white space
			w.mix(n/2, " ", "\t")
		}
		for i := 0; w.Len() < n; i++ {
			w.printf("%s%d", unit, i)
		}
	}
	return w.String()
}

// Quote writes s as one JSON string: a validator has to read every byte of it.
func Quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // a string always encodes
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func times(s string, n int) string { return strings.Repeat(s, (n+len(s)-1)/len(s)) }

var words = strings.Fields(`the model reads a file and then writes another one so that the build
passes again which means we should check each step before going on since local models often
wrap their answer in prose or forget a quote while the parser must stay calm about it naïve
résumé 数据 文件 工具 調用 ångström — “quoted” it's fine`)

// plain are the words without quotes.
var plain = words[:slices.Index(words, "naïve")]

// A writer writes text from a seed of its own.
type writer struct {
	bytes.Buffer
	*rand.Rand
}

func newWriter(name string, n int) *writer {
	h := fnv.New64a()
	h.Write([]byte(name))
	return &writer{Rand: rand.New(rand.NewPCG(20240611, h.Sum64()^uint64(n)))}
}

func (w *writer) word() string              { return words[w.IntN(len(words))] }
func (w *writer) plain() string             { return plain[w.IntN(len(plain))] }
func (w *writer) printf(s string, a ...any) { fmt.Fprintf(w, s, a...) }

// mix appends strings of the set until the text has n bytes.
func (w *writer) mix(n int, set ...string) {
	for w.Len() < n {
		w.WriteString(set[w.IntN(len(set))])
	}
}

// prose appends about n bytes of words without a brace, fence or tag.
func (w *writer) prose(n int) {
	end := w.Len() + n
	for i := 0; w.Len() < end; i++ {
		w.WriteString(w.word())
		switch {
		case i%97 == 96:
			w.WriteString(".\n\n")
		case i%13 == 12:
			w.WriteString(".\n")
		default:
			w.WriteByte(' ')
		}
	}
}

// source appends about n bytes of program text, full of quotes, braces, tabs.
func (w *writer) source(n int) {
	end := w.Len() + n
	for i := 0; w.Len() < end; i++ {
		switch w.IntN(6) {
		case 0:
			w.printf("func step%d(in map[string]any) (string, error) {\n\tif in[%q] == nil { return \"\", errMissing }\n", i, w.plain())
		case 1:
			w.printf("\tfmt.Printf(\"step %%d: %%q\\n\", %d, \"a \\\"b\\\" {c}\")\n", i)
		case 2:
			w.printf("\tre := `\\{[^}]*\\}` // %s\n", w.word())
		case 3:
			w.printf("\tv := struct{ X, Y int }{%d, %d}\n\treturn fmt.Sprint(v), nil\n}\n\n", i, i*7)
		case 4:
			w.printf("// %s %s %s %s %s\n", w.word(), w.word(), w.word(), w.word(), w.word())
		case 5:
			w.printf("var path%d = \"C:\\\\src\\\\dir%d\\\\file.go\"\n", i, i)
		}
	}
}

// call appends one JSON call of about n bytes with many small arguments.
func (w *writer) call(n int) {
	end := w.Len() + n - 2
	w.WriteString(`{"name": "search_files", "arguments": {"query": "fmt.Println(\"{hi}\")", "path": "C:\\src\\app"`)
	for i := 0; w.Len() < end; i++ {
		w.printf(`, "opt%d": `, i)
		switch i % 4 {
		case 0:
			w.printf("%d", w.IntN(100000))
		case 1:
			w.WriteString(Quote(w.word() + " }{ " + w.word()))
		case 2:
			w.printf("[true, null, %d.5e-3]", w.IntN(900))
		case 3:
			w.printf(`{"from": %d, "to": "%d"}`, w.IntN(50), w.IntN(500))
		}
	}
	w.WriteString("}}")
}

// think appends reasoning with a decoy, then a tagged call.
func (w *writer) think(n int) {
	w.WriteString("<think>\n")
	w.prose(n / 3)
	w.WriteString("\nI could send {\"name\": \"calc\"} but set {a, b} first.\n")
	w.prose(n - n/40 - 256 - w.Len())
	w.WriteString("\n</think>\n\n<tool_call>\n")
	w.call(max(n/40, 160))
	w.WriteString("\n</tool_call>")
}

// answer appends Markdown with fences and braces and no call.
func (w *writer) answer(n int) {
	for w.Len() < n {
		w.printf("## Step %d\n\n", w.Len())
		w.prose(300)
		w.WriteString("\n\n")
		switch w.IntN(4) {
		case 0:
			w.WriteString("```go\n")
			w.source(500)
			w.WriteString("```\n\n")
		case 1:
			w.printf("```json\n{\"port\": %d, \"hosts\": [\"a\", \"b\"], \"log\": {\"level\": \"info\"}}\n```\n\n", w.IntN(65536))
		case 2:
			w.WriteString("Use `map[string]int{}` or `{a: 1}`, and set {x | x > 0}.\n\n")
		case 3:
			w.WriteString("```css\n.a { color: red; }\n.b { width: calc(1px + 2em) }\n```\n\n")
		}
	}
}

// broken appends one call with the usual slips, cut at its end.
func (w *writer) broken(n int) {
	w.brokenHead()
	w.slips(n)
	w.WriteString("\"last\": [1, {\"x\": \"cut")
}

func (w *writer) brokenHead() {
	w.WriteString("{'name': 'search_files', arguments: {\"query\": \"fmt.Println(\\\"{hi}\\\")\", // what to find\n")
}

func (w *writer) slips(n int) {
	for i := 0; w.Len() < n; i++ {
		switch i % 5 {
		case 0:
			w.printf("'opt%d': %d,\n", i, w.IntN(100000))
		case 1:
			w.printf("opt%d: 'it is %s',\n", i, w.plain())
		case 2:
			w.printf("\"opt%d\": [True, None, %d,],\n", i, w.IntN(900))
		case 3:
			w.printf("\"opt%d\": {\"from\": %d, \"to\": \"%d\",}\n", i, w.IntN(50), w.IntN(500))
		case 4:
			w.printf(", \"opt%d\": \"two\nlines\",\n", i)
		}
	}
}

// writeCall returns one call of about n bytes, nearly all of it one string.
func writeCall(w *writer, n int) string {
	w.source(n) // escaping makes it longer: cut below
	text := w.String()
	quoted := func(cut int) string { return Quote(strings.ToValidUTF8(text[:cut], "")) }
	lo, hi := 0, len(text)
	for lo < hi { // the longest cut whose call fits in n bytes
		if mid := (lo + hi + 1) / 2; len(quoted(mid))+64 <= n {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return `{"name":"write_file","arguments":{"path":"a.go","content":` + quoted(lo) + `}}`
}
