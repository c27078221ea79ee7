package parse_test

import (
	"testing"

	"github.com/localagent/localagent/parse"
)

// TestCases reads every reply of testdata/replies.jsonl: each dialect, finals
// with traps, cut and mangled replies.
func TestCases(t *testing.T) {
	known := openLedger(t, "cases")
	for _, row := range readLabelled(t, "replies.jsonl") {
		t.Run(row.ID, func(t *testing.T) {
			known.check(t, row.ID, try(func() string {
				return row.wrong(parse.Parse(row.Text, row.options(), row.finish()))
			}))
		})
	}
}

// TestFirstInputs holds the eight inputs that the first extractor of this kind
// was tried with, and the two lessons they taught: cut JSON and plain text must
// not look alike, and a second call must not be dropped in silence.
func TestFirstInputs(t *testing.T) {
	tools := []parse.Tool{{Name: "count_chars"}, {Name: "calc"}}
	tests := []struct {
		name, text string
		want       reading
	}{
		{"bare", `{"tool":"count_chars","args":{"path":"notes.txt"}}`,
			calls("count_chars", `{"path":"notes.txt"}`)},
		{"fenced", "```json\n{\"tool\":\"calc\",\"args\":{\"expr\":\"6*7\"}}\n```",
			calls("calc", `{"expr":"6*7"}`)},
		{"polite words first", `Of course! Let me count them: {"tool":"count_chars","args":{"path":"a"}}`,
			calls("count_chars", `{"path":"a"}`)},
		{"closing brace in an argument", `{"tool":"count_chars","args":{"path":"odd}name.txt"}}`,
			calls("count_chars", `{"path":"odd}name.txt"}`)},
		{"escaped quote in an argument", `{"tool":"count_chars","args":{"path":"say \"hi\"}.txt"}}`,
			calls("count_chars", `{"path":"say \"hi\"}.txt"}`)},
		{"two objects in a row", `{"tool":"calc","args":{"expr":"1"}} {"tool":"calc","args":{"expr":"2"}}`,
			calls("calc", `{"expr":"1"}`, "calc", `{"expr":"2"}`)},
		{"cut JSON", `{"tool":"calc","args":{"expr":"1+`,
			reading{Kind: "unparseable"}},
		{"plain text", "The file has 120 characters.",
			reading{Kind: "final", FinalContains: "The file has 120 characters."}},
	}
	known := openLedger(t, "first-inputs")
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			row := labelled{Text: test.text, Expect: test.want}
			known.check(t, test.name, row.wrong(parse.Parse(test.text, parse.Options{Tools: tools}, parse.FinishStop)))
		})
	}
}

// calls is the reading "these calls": names and arguments in turn.
func calls(nameArgs ...string) reading {
	r := reading{Kind: "call"}
	for i := 0; i < len(nameArgs); i += 2 {
		r.Calls = append(r.Calls, labelCall{Tool: nameArgs[i], Args: []byte(nameArgs[i+1])})
	}
	return r
}
