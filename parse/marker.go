package parse

import (
	"strings"
)

// tri is an answer that may have to wait for more text.
type tri uint8

const (
	no tri = iota
	maybe
	yes
)

// markerKind says what a marker does.
type markerKind uint8

const (
	markNone     markerKind = iota
	markHard                // a call follows
	markSoft                // a call may follow
	markEnd                 // ends a hard marker
	markPart                // stands between the name and the arguments of a call
	markFunction            // holds the name of a call: <function=NAME>
	markParam               // holds one argument
	markThink               // opens a thought
	markToken               // a control token that says nothing
	markRole                // begins a turn; whose, says what follows
	markUser                // begins a turn of somebody else
	markResult              // a result, which a model can only invent
	markChannel             // harmony's <|channel|>
	markMessage             // harmony's <|message|>
	markArgKey              // GLM's pairs
	markArgValue
)

// markers are all tags and tokens that mean something, by their names as lexTag
// normalises them: without brackets, bars, namespace and escapes, in lower case,
// with _ between words. A new dialect is a row here.
var markers = byName([]markerRow{
	// Hermes, Qwen, Granite, SmolLM, Seed, MiniMax, LongCat and many fine-tunes.
	{names: "tool_call tool_calls tool_use toolcall function_call functioncall longcat_tool_call", kind: markHard},
	{names: "start_function_call", kind: markHard, dialect: DialectGemma},                 // FunctionGemma
	{names: "tool_calls_begin tool_call_begin", kind: markHard, dialect: DialectDeepSeek}, // Kimi's too
	{names: "tool_calls_section_begin", kind: markHard, dialect: DialectKimi},
	{names: "tool_call_start python_start function_calls", kind: markHard, dialect: DialectPythonic}, // LFM2, Llama 4
	{names: "action_start", kind: markHard, dialect: DialectInternLM},
	{names: "start_action", kind: markHard, dialect: DialectCommandR}, // Command R7B
	{names: "tools_prefix", kind: markHard, dialect: DialectApertus},
	{names: "python_tag", kind: markHard, dialect: DialectLlama}, // Llama 3
	{names: "end_function_call tool_calls_end tool_call_end tool_calls_section_end tool_call_argument_end action_end end_action tools_suffix python_end", kind: markEnd},
	{names: "tool_call_argument_begin tool_sep", kind: markPart},
	{names: "plugin interpreter constrain", kind: markPart, bars: true},
	{names: "response json xml tool tools functions", kind: markSoft},

	{names: "function", kind: markFunction, dialect: DialectFunctionTag},
	{names: "invoke", kind: markFunction, dialect: DialectInvoke},
	{names: "parameter param", kind: markParam},
	{names: "arg_key longcat_arg_key", kind: markArgKey}, // GLM
	{names: "arg_value longcat_arg_value", kind: markArgValue},

	{names: "think thinking thought reasoning scratch_pad scratchpad longcat_think", kind: markThink},
	{names: "start_thinking thought_start", kind: markThink}, // Command R7B, MiniCPM
	{names: "end_thinking", kind: markThink, ends: "start_thinking"},
	{names: "thought_end", kind: markThink, ends: "thought_start"},

	{names: "im_end eot_id eom_id end_of_turn end_of_turn_token turn_end endoftext end_of_text end_of_sentence end_of_utterance", kind: markToken},
	{names: "begin_of_text begin_of_sentence start_of_turn_token chatbot_token end_of_role end_header_id", kind: markToken},
	{names: "start_response end_response start_text end_text bos eos s unk fim_pad endofprompt", kind: markToken},
	{names: "end call return assistant turn eom eot im_sep pad", kind: markToken, bars: true},
	{names: "bot_end", kind: markToken}, // NexusRaven

	{names: "im_start start_header_id start_of_turn start_of_role turn_start", kind: markRole},
	{names: "start", kind: markRole, bars: true},
	{names: "user human system ipython observation", kind: markUser, bars: true},
	{names: "user_token system_token", kind: markUser},

	{names: "tool_response tool_responses tool_result tool_results tool_output tool_outputs_begin tool_output_begin", kind: markResult},
	{names: "function_result function_results function_response start_function_response start_tool_result", kind: markResult},

	{names: "channel", kind: markChannel, bars: true},
	{names: "message", kind: markMessage, bars: true},
})

// A markerRow is what some markers do.
type markerRow struct {
	names   string // separated by spaces; in the table, the one
	kind    markerKind
	dialect Dialect // of the calls behind it, if they have one of their own
	bars    bool    // it counts only with bars: without them it is a tag of HTML or XML
	ends    string  // the token that opens the thought it closes, if not of its own name
}

// byName gives each name its row.
func byName(rows []markerRow) map[string]markerRow {
	all := make(map[string]markerRow, 128)
	for _, row := range rows {
		for name := range strings.FieldsSeq(row.names) {
			row.names = name
			all[name] = row
		}
	}
	return all
}

// tag is one tag or control token.
type tag struct {
	kind    markerKind
	dialect Dialect // of calls behind it, if they have their own
	name    string  // as written, brackets, bars and attributes apart
	marker  string  // its name in the table, "" for none; of the end of a thought: of its beginning
	attr    string  // NAME of <function=NAME>, <invoke name="NAME">
	typed   string  // of an attribute string="…"
	close   bool    // a closing tag
	bars    bool    // written with bars
	half    bool    // with an opening bar only
	n       int     // bytes
}

// endsTurn reports whether t ends a turn, or begins another.
func (t tag) endsTurn() bool { return t.kind == markToken || t.kind == markRole || t.kind == markUser }

// maxTag is the longest tag, in bytes.
const maxTag = 256

// lexMarker reads the tag, or the marker in square brackets, that s begins with.
func lexMarker(s string, eof bool) (tag, tri) {
	if s[0] == '<' {
		return lexTag(s, eof)
	}
	return lexBracket(s, eof)
}

// lexTag reads the tag that s begins with.
func lexTag(s string, eof bool) (t tag, ok tri) {
	if strings.HasPrefix(s, "<<") {
		return lexDoubled(s, eof)
	}
	end, simple, ok := tagEnd(s, eof)
	if ok != yes {
		return t, ok
	}
	t.n = end + 1
	body := s[1:end]
	if strings.HasPrefix(body, "/") {
		t.close, body = true, body[1:]
	}
	if simple && body != "" && isLetter(body[0]) {
		t.name = body
		t.means(body)
		return t, yes
	}
	body = t.unwrap(body)
	if body == "" || !isLetter(body[0]) {
		return t, no
	}
	t.name = body
	if !t.bars {
		t.attributes(body)
	}
	var buf [48]byte
	if name, fits := foldTag(buf[:0], t.name); fits {
		t.means(string(name))
	}
	return t, yes
}

// unwrap takes the bars and the namespace of a model family off the body of a tag.
func (t *tag) unwrap(body string) string {
	lead, trail := false, false
	if body, lead = cutBar(body, strings.CutPrefix); lead && strings.HasPrefix(body, "/") {
		t.close, body = true, body[1:]
	}
	body, trail = cutBar(body, strings.CutSuffix)
	t.bars, t.half = lead || trail, lead && !trail
	if trail && !lead {
		t.close = true // Gemma's <tool_call|>
	}
	if rest, ok := strings.CutPrefix(body, "DSML|"); ok {
		body, t.bars = rest, false
	}
	if body != "" && body[0] == 0xEF || t.bars {
		if i := strings.LastIndex(body, "｜"); i >= 0 { // DeepSeek's ｜DSML｜ before the name
			body, t.bars = body[i+len("｜"):], false
		}
	}
	return strings.Trim(body, " ")
}

// means looks up what a tag with the folded name does.
func (t *tag) means(name string) {
	m := markers[name]
	if m.bars && !t.bars {
		return
	}
	t.kind, t.dialect, t.marker = m.kind, m.dialect, m.names
	if m.ends != "" {
		t.close, t.marker = true, m.ends
	}
}

// lexDoubled reads Gorilla's marker.
func lexDoubled(s string, eof bool) (tag, tri) {
	const marker = "<<function>>"
	switch {
	case strings.HasPrefix(s, marker):
		return tag{kind: markHard, dialect: DialectExpression, name: "function", n: len(marker)}, yes
	case !eof && strings.HasPrefix(marker, s):
		return tag{}, maybe
	}
	return tag{}, no
}

// tagEnd finds the > of a tag; simple says that before it stand only lower-case
// letters and _, perhaps behind a slash.
func tagEnd(s string, eof bool) (end int, simple bool, ok tri) {
	i := 1
	simple = true
	for ; i < len(s) && i < maxTag; i++ {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z' || c == '_':
		case c == '>':
			return i, simple, yes
		case c == '<' || c == '\n' || c == '{' || c == '}':
			return 0, false, no
		case i == 1 && c == '/':
		case i == 1 && !isLetter(c) && c != '|' && c != 0xEF:
			return 0, false, no
		default:
			simple = false
		}
	}
	if i == maxTag || eof {
		return 0, false, no
	}
	return 0, false, maybe
}

func cutBar(s string, cut func(s, bar string) (string, bool)) (string, bool) {
	if r, ok := cut(s, "|"); ok {
		return r, true
	}
	return cut(s, "｜")
}

// attributes splits NAME=VALUE and NAME name="VALUE" string="true".
func (t *tag) attributes(body string) {
	i := strings.IndexAny(body, " =\t")
	if i < 0 {
		return
	}
	t.name = body[:i]
	if body[i] == '=' {
		t.attr = strings.Trim(strings.TrimSpace(body[i+1:]), `"'`)
		return
	}
	t.attr = attribute(body[i:], "name")
	t.typed = attribute(body[i:], "string")
}

// attribute returns the value of key="value" in s.
func attribute(s, key string) string {
	for {
		i := strings.Index(s, key)
		if i < 0 {
			return ""
		}
		rest := strings.TrimLeft(s[i+len(key):], " ")
		if v, ok := strings.CutPrefix(rest, "="); ok && i > 0 && isSpace(s[i-1]) {
			v = strings.TrimLeft(v, " ")
			if v != "" && (v[0] == '"' || v[0] == '\'') {
				if j := strings.IndexByte(v[1:], v[0]); j >= 0 {
					return v[1 : j+1]
				}
			}
			v, _, _ = strings.Cut(v, " ")
			return v
		}
		s = s[i+len(key):]
	}
}

// foldTag normalises the name of a tag.
func foldTag(dst []byte, s string) ([]byte, bool) {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == ':': // a namespace
			dst = dst[:0]
			continue
		case c == '\\':
			continue
		case c == ' ' || c == '-':
			c = '_'
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		case c == 0xE2 && strings.HasPrefix(s[i:], "▁"):
			c = '_'
			i += 2
		}
		if len(dst) == cap(dst) {
			return nil, false
		}
		dst = append(dst, c)
	}
	return dst, true
}

// endsCall reports whether the model ended a call at pos: a closing tag, an end
// token or a fence stands there.
func endsCall(text string, pos int, eof bool) tri {
	if text[pos] == '`' {
		n := runLen(text, pos)
		if n < 3 && pos+n == len(text) && !eof {
			return maybe
		}
		if n >= 3 {
			return yes
		}
		return no
	}
	t, ok := lexTag(text[pos:], eof)
	if ok != yes {
		return ok
	}
	switch {
	case t.close && t.kind != markNone && t.kind != markThink && t.kind != markParam,
		t.kind == markEnd, t.kind == markToken:
		return yes
	}
	return no
}

// brackets are the markers in square brackets.
var brackets = []struct {
	text    string
	kind    markerKind
	dialect Dialect
	close   bool
}{
	{"[TOOL_CALLS]", markHard, DialectMistral, false}, // Mistral
	{"[/TOOL_CALLS]", markEnd, "", true},
	{"[TOOL_CALL]", markHard, DialectMistral, false},
	{"[/TOOL_CALL]", markEnd, "", true},
	{"[ARGS]", markPart, "", false},
	{"[CALL_ID]", markPart, "", false},
	{"[THINK]", markThink, "", false},
	{"[/THINK]", markThink, "", true},
	{"[TOOL_RESULTS]", markResult, "", false},
	{"[/TOOL_RESULTS]", markToken, "", false},
	{"[INST]", markUser, "", false},
	{"[/INST]", markToken, "", false},
	{"[Calling tool: ", markHard, DialectBracket, false},
}

// lexBracket reads the bracket marker that s begins with.
func lexBracket(s string, eof bool) (tag, tri) {
	wait := no
	for _, b := range brackets {
		if strings.HasPrefix(s, b.text) {
			return tag{kind: b.kind, dialect: b.dialect, name: b.text, close: b.close, bars: true, n: len(b.text)}, yes
		}
		if !eof && strings.HasPrefix(b.text, s) {
			wait = maybe
		}
	}
	return tag{}, wait
}

// Kimi's thinking markers.
const (
	openTriangle  = "◁think▷"
	closeTriangle = "◁/think▷"
)

// lexTriangle reads a marker between triangles.
func lexTriangle(s string, eof bool) (tag, tri) {
	for _, m := range [...]string{openTriangle, closeTriangle} {
		if strings.HasPrefix(s, m) {
			return tag{kind: markThink, name: "◁think", close: m == closeTriangle, bars: true, n: len(m)}, yes
		}
		if !eof && strings.HasPrefix(m, s) {
			return tag{}, maybe
		}
	}
	return tag{}, no
}
