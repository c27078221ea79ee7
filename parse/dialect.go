package parse

// The dialects a call may be written in. Sources are named in the project's
// documentation of the protocol.
const (
	DialectJSON        Dialect = "json"        // {"tool":NAME,"args":{…}} and its kin
	DialectHermes      Dialect = "hermes"      // <tool_call>{…}</tool_call>
	DialectFunctionTag Dialect = "function"    // <function=NAME>{…}</function>
	DialectXML         Dialect = "xml"         // <function=NAME><parameter=KEY>…
	DialectInvoke      Dialect = "invoke"      // <invoke name="NAME"><parameter name="KEY">…
	DialectToolTag     Dialect = "tool-tag"    // <NAME><KEY>…</KEY></NAME>
	DialectGLM         Dialect = "glm"         // <tool_call>NAME<arg_key>…
	DialectMistral     Dialect = "mistral"     // [TOOL_CALLS]…
	DialectLlama       Dialect = "llama"       // <|python_tag|>…
	DialectPythonic    Dialect = "pythonic"    // [NAME(k=v)]
	DialectExpression  Dialect = "expression"  // NAME(…), NAME {…}, NAME k="v"
	DialectGemma       Dialect = "gemma"       // call:NAME{k:<|"|>v<|"|>}
	DialectDeepSeek    Dialect = "deepseek"    // <｜tool▁call▁begin｜>…
	DialectKimi        Dialect = "kimi"        // <|tool_call_begin|>functions.NAME:0…
	DialectCommandR    Dialect = "command-r"   // Action: + list, <|START_ACTION|>
	DialectFunctools   Dialect = "functools"   // functools[…]
	DialectFunctionary Dialect = "functionary" // >>>NAME
	DialectHarmony     Dialect = "harmony"     // to=functions.NAME
	DialectInternLM    Dialect = "internlm"    // <|action_start|><|plugin|>…
	DialectApertus     Dialect = "apertus"     // <|tools_prefix|>[{NAME:{…}}]
	DialectReAct       Dialect = "react"       // Action: NAME, Action Input: …
	DialectQwenAgent   Dialect = "qwen-agent"  // ✿FUNCTION✿: NAME
	DialectBracket     Dialect = "bracket"     // [Calling tool: NAME(…)]
)

// markerDialects names the dialect of calls behind a marker, by the marker's
// folded name.
var markerDialects = map[string]Dialect{
	"tool_calls_begin": DialectDeepSeek, "tool_call_begin": DialectDeepSeek,
	"tool_calls_section_begin": DialectKimi,
	"action_start":             DialectInternLM,
	"start_action":             DialectCommandR,
	"tools_prefix":             DialectApertus,
	"python_tag":               DialectLlama,
	"python_start":             DialectPythonic, "tool_call_start": DialectPythonic, "function_calls": DialectPythonic,
	"start_function_call": DialectGemma,
}
