package parse

import "strings"

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
	{names: "end call return assistant assistant_start turn eom eot im_sep im_middle header_end pad", kind: markToken, bars: true},
	{names: "assistant_end user_end system_end developer_end", kind: markToken, bars: true}, // Apertus
	{names: "bot_end", kind: markToken}, // NexusRaven

	{names: "im_start start_header_id header_start start_of_turn start_of_role turn_start", kind: markRole},
	{names: "im_assistant extra_id_1 special_11", kind: markRole}, // Kimi, Nemotron
	{names: "start", kind: markRole, bars: true},
	{names: "user human system developer ipython observation prompter", kind: markUser, bars: true},
	{names: "im_user im_system user_start system_start developer_start hy_user", kind: markUser, bars: true}, // Kimi, Apertus, Hunyuan
	{names: "user_token system_token", kind: markUser},

	{names: "tool_response tool_responses tool_result tool_results tool_output tool_outputs tool_call_result", kind: markResult},
	{names: "tool_response_start tool_outputs_begin tool_output_begin", kind: markResult},
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
	{"[|user|]", markUser, "", false}, // EXAONE
	{"[|system|]", markUser, "", false},
	{"[|tool|]", markUser, "", false},
	{"[|assistant|]", markToken, "", false},
	{"[|endofturn|]", markToken, "", false},
	{"[Calling tool: ", markHard, DialectBracket, false},
}

// Kimi's thinking markers.
const (
	openTriangle  = "◁think▷"
	closeTriangle = "◁/think▷"
)
