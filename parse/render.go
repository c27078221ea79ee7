package parse

import (
	"slices"
	"strings"
)

// Render writes a call in one of the dialects that a prompt may ask for:
// [DialectJSON], which "" means too, [DialectHermes], [DialectPythonic] and
// [DialectReAct]. All others are written as DialectJSON, and so is a call that
// Python's form cannot hold. Only Name and Args count; Args must be a JSON object,
// or empty for none. [Parse] reads it back as the same call when its name is
// registered.
func Render(c Call, d Dialect) string {
	args := string(c.Args)
	if args == "" {
		args = "{}"
	}
	name := string(appendQuoted(nil, c.Name))
	switch d {
	case DialectHermes:
		return "<tool_call>\n{\"name\":" + name + ",\"arguments\":" + args + "}\n</tool_call>"
	case DialectReAct:
		return "Action: " + c.Name + "\nAction Input: " + args
	case DialectPythonic:
		if s, ok := pythonic(c.Name, args); ok {
			return s
		}
	}
	return "{\"tool\":" + name + ",\"args\":" + args + "}"
}

// pythonic writes [NAME(key=literal)]. It reports false for what that form
// cannot hold.
func pythonic(name, args string) (string, bool) {
	args, bad := readWhole(args)
	if bad != "" || args[0] != '{' || !isWord(name) {
		return "", false
	}
	var b strings.Builder
	b.WriteString("[" + name + "(")
	for f := range fields(args, 0) {
		if !isWord(f.key) || strings.ContainsAny(f.key, ".+-$") {
			return "", false
		}
		if f.keyAt > 1 {
			b.WriteString(", ")
		}
		b.WriteString(f.key + "=")
		writePython(&b, args[f.valAt:f.valEnd])
	}
	b.WriteString(")]")
	return b.String(), true
}

// isWord reports whether s can be the name of a call or of an argument.
func isWord(s string) bool {
	if s == "" || !isLetter(s[0]) {
		return false
	}
	if lit, _ := literal(s); lit != "" {
		return false
	}
	for i := range len(s) {
		if !isWordByte(s[i]) {
			return false
		}
	}
	return true
}

// pythonWords are Python's literals.
var pythonWords = map[string]string{"true": "True", "false": "False", "null": "None"}

// writePython writes canonical JSON as a Python literal.
func writePython(b *strings.Builder, c string) {
	for i := 0; i < len(c); {
		switch c[i] {
		case '"':
			end := skipString(c, i)
			b.WriteString(c[i:end])
			i = end
		case 't', 'f', 'n':
			end := skipValue(c, i)
			b.WriteString(pythonWords[c[i:end]])
			i = end
		default:
			b.WriteByte(c[i])
			i++
		}
	}
}

// RenderResult writes the result of a call for the model: a marker with the
// tool's name and a status, a word such as ok, around the raw text. The text is
// passed through [Defuse], so it can neither end the marker nor fake another
// result; name and status are cut to 256 bytes, and what could end the marker is
// replaced in them.
func RenderResult(tool, status, text string) string {
	return "<tool_result name=" + attributeValue(tool) + " status=" + attributeValue(status) + ">\n" +
		Defuse(text) + "\n</tool_result>"
}

// attributeValue quotes what stands in a marker. A name that a model made up may
// hold anything.
func attributeValue(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < 0x20 || strings.ContainsRune(`"<>`, r) {
			return '_'
		}
		return r
	}, bounded(s))
	return `"` + strings.ToValidUTF8(s, "_") + `"`
}

// fuse is what Defuse puts into a marker: two invisible runes that hardly any text
// has side by side. Where one does, they are doubled.
const fuse = "\u2060\u2063"

// Defuse breaks every control token, call marker and result marker in text
// that the model did not write, so that a file can neither end a turn nor make
// or fake a call or a result. It inserts one fixed sequence of invisible runes
// behind the first byte of each; [Restore] takes it out again:
// Restore(Defuse(s)) == s.
func Defuse(text string) string {
	if !strings.ContainsAny(text, "<[") && !strings.Contains(text, fuse) {
		return text
	}
	return string(appendDefused(nil, text))
}

func appendDefused(dst []byte, text string) []byte {
	done := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '<', '[':
			if !breaks(text[i:]) {
				continue
			}
			dst = append(dst, text[done:i+1]...)
			dst = append(dst, fuse...)
			done = i + 1
		case fuse[0]:
			if !strings.HasPrefix(text[i:], fuse) {
				continue
			}
			dst = append(dst, text[done:i]...)
			dst = append(dst, fuse...) // one of the text's own is doubled
			done = i
			i += len(fuse) - 1
		}
	}
	return append(dst, text[done:]...)
}

// ownFrames are the tags that prompts put around foreign text.
var ownFrames = map[string]bool{"stdin": true, "file": true}

// templateTokens are control tokens of prompts that no reply has.
var templateTokens = []string{
	"<<SYS>>", "<</SYS>>", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[gMASK]", "<pad>",
}

// breaks reports whether a marker begins s.
func breaks(s string) bool {
	if slices.ContainsFunc(templateTokens, func(token string) bool { return strings.HasPrefix(s, token) }) {
		return true
	}
	var t tag
	if s[0] == '[' {
		return lexBracket(&t, s, true) == yes
	}
	if strings.HasPrefix(s, "<|") || strings.HasPrefix(s, "<｜") || strings.HasPrefix(s, "</|") {
		return true
	}
	if lexTag(&t, s, true) != yes {
		return unfinished(s)
	}
	return t.kind != markNone && t.kind != markSoft || t.bars || ownFrames[strings.ToLower(t.name)]
}

// unfinished reports whether s begins a tag of ours that never ends: a model may take
// it for a whole one.
func unfinished(s string) bool {
	s = strings.TrimPrefix(s[1:], "/")
	return strings.HasPrefix(s, "tool_") || strings.HasPrefix(s, "function_call")
}

// Restore undoes [Defuse]. The loop applies it to the arguments of calls, so
// that what a model copies from a result reaches a tool as it was.
func Restore(text string) string {
	if !strings.Contains(text, fuse) {
		return text
	}
	var b strings.Builder
	for {
		i := strings.Index(text, fuse)
		if i < 0 {
			break
		}
		b.WriteString(text[:i])
		text = text[i+len(fuse):]
		if strings.HasPrefix(text, fuse) {
			b.WriteString(fuse)
			text = text[len(fuse):]
		}
	}
	b.WriteString(text)
	return b.String()
}
