package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// read coerces and checks the arguments of a call. The returned arguments are
// a valid object unless the problem is one of syntax.
func (e *entry) read(raw json.RawMessage) (args json.RawMessage, coerced []string, bad []problem) {
	raw = skipSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	if bad := syntaxProblem(raw); bad != nil {
		return raw, nil, []problem{*bad}
	}
	c := newCoercer(raw)
	args = c.value(e.schema, raw, "")
	return args, c.done, e.check(args)
}

// syntaxProblem says why raw is not an object that can be walked.
func syntaxProblem(raw json.RawMessage) *problem {
	if bad := notJSON(raw); bad != nil {
		return bad
	}
	if kindOf(raw) != kindObject {
		return &problem{"", faultSyntax, "must be a JSON object, got " + describe(raw)}
	}
	return nil
}

// notJSON says why raw is no value that can be walked.
func notJSON(raw json.RawMessage) *problem {
	var valid json.RawMessage
	var syntax *json.SyntaxError
	switch {
	case errors.As(json.Unmarshal(raw, &valid), &syntax):
		return &problem{"", faultSyntax, fmt.Sprintf("not valid JSON: %v at byte %d", syntax, syntax.Offset)}
	case tooDeep(raw):
		return &problem{"", faultSyntax, fmt.Sprintf("nested deeper than %d levels", maxNesting)}
	}
	return nil
}

// unknown answers a call of a tool that does not exist.
func (s *Set) unknown(c Call) *Result {
	var names []string
	for _, t := range s.All() {
		names = append(names, t.Name)
	}
	text := fmt.Sprintf("there is no tool %q", clip(c.Name, 64))
	if like := suggest(c.Name, names, 3); len(like) > 0 {
		text += "; did you mean " + strings.Join(like, " or ") + "?"
	}
	switch {
	case len(names) == 0:
		text += "; there are no tools: answer without"
	case c.Mistakes.again("", c.Name):
		text += "\nAll tools:\n" + s.signatures()
	default:
		text += "\nTools: " + list(names)
	}
	r := finish(c, Result{Status: UnknownTool, Text: text})
	return &r
}

func (s *Set) signatures() string {
	var b strings.Builder
	for _, t := range s.All() {
		fmt.Fprintf(&b, "- %s\n", t.Signature())
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// maxListed bounds the names in a sentence.
const maxListed = 50

func list(names []string) string {
	if n := len(names) - maxListed; n > 0 {
		return strings.Join(names[:maxListed], ", ") + fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(names, ", ")
}

// invalid answers a call whose arguments do not fit.
func (e *entry) invalid(c Call, args json.RawMessage, problems []problem) *Result {
	var b strings.Builder
	var key strings.Builder
	fmt.Fprintf(&b, "the arguments of %s are wrong:\n", e.tool.Name)
	for _, p := range problems {
		b.WriteString("- ")
		if p.path != "" {
			b.WriteString(clip(p.path, 100) + ": ")
		}
		b.WriteString(p.text + "\n")
		fmt.Fprintf(&key, "%s %s\n", p.path, p.fault)
	}
	if c.Mistakes.again(e.tool.Name, key.String()) {
		b.WriteString("This mistake was made before. ")
		e.explain(&b)
	} else if example, ok := e.example(args, problems); ok {
		fmt.Fprintf(&b, "Correct arguments look like this: %s", example)
	} else {
		e.explain(&b)
	}
	r := finish(c, Result{Status: InvalidArgs, Text: strings.TrimSuffix(b.String(), "\n")})
	return &r
}

// explain writes all that is known about the arguments of a tool.
func (e *entry) explain(b *strings.Builder) {
	if len(e.schema.props) == 0 {
		fmt.Fprintf(b, "%s takes no arguments: {}", e.tool.Name)
		return
	}
	fmt.Fprintf(b, "All arguments of %s:\n", e.tool.Name)
	for _, p := range e.schema.props {
		fmt.Fprintf(b, "- %s: %s\n", p.name, p.explained())
	}
	shortest, ok := e.sample(false)
	if ok {
		fmt.Fprintf(b, "The shortest correct arguments: %s\n", shortest)
	}
	if longest, ok := e.sample(true); ok && string(longest) != string(shortest) {
		fmt.Fprintf(b, "With everything: %s\n", longest)
	}
}

// remember counts a failure, or forgets the mistakes before a success. A
// failure for the third time says so.
func (e *entry) remember(c Call, r Result) Result {
	switch r.Status {
	case OK:
		c.Mistakes.clear(e.tool.Name)
	case Failed:
		if c.Mistakes.again(e.tool.Name, r.Text) {
			text, cut := cutEnd(r.Text, c.room()-len(enough))
			r.Text, r.Truncated = text+enough, r.Truncated || cut
		}
	}
	return r
}

const enough = "\nIt failed like this before. Change the arguments, use another tool, or answer with what you know."

// describe names a given value in a sentence.
func describe(raw json.RawMessage) string {
	switch k := kindOf(raw); k {
	case kindNull, kindBool:
		return string(raw)
	case kindArray:
		return "a list of " + plural(len(items(raw)), "item")
	case kindObject:
		return "an object"
	default:
		return "the " + k.name() + " " + brief(raw)
	}
}

// brief is a value, shortened.
func brief(raw json.RawMessage) string { return clip(string(raw), 60) }

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
