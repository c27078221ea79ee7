package parse

// Render writes a call in the given dialect, "" meaning the canonical one:
// {"tool":NAME,"args":{…}}. Parse reads it back as the same call when the name
// is registered.
func Render(c Call, d Dialect) string { return "" }

// RenderResult writes the result of a call for the model: a marker with the
// tool's name and status around the raw text. The text is passed through
// [Defuse], so it can neither end the marker nor fake another result.
func RenderResult(tool, status, text string) string { return "" }

// Defuse breaks every control token, call marker and result marker in text
// that the model did not write, so that a file can neither end a turn nor make
// or fake a call or a result. It inserts one fixed sequence of invisible runes
// into each; [Restore] takes it out again: Restore(Defuse(s)) == s.
func Defuse(text string) string { return text }

// Restore undoes [Defuse]. The loop applies it to the arguments of calls, so
// that what a model copies from a result reaches a tool as it was.
func Restore(text string) string { return text }
