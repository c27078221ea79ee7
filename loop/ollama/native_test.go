package ollama

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/localagent/localagent/loop/ollama/ollamatest"
	"github.com/localagent/localagent/parse"
)

// Calls that come in a field of their own, unasked, are calls.
func TestNativeCalls(t *testing.T) {
	for name, tt := range map[string]struct {
		args string // as sent
		want string // as read; "": not a call
		text string
	}{
		"an object":        {`{"path":"a","expr":"1+1"}`, `{"path":"a","expr":"1+1"}`, ""},
		"a string":         {`"{\"expr\":\"1+1\"}"`, `{"expr":"1+1"}`, ""},
		"digits and signs": {`{"n":12345678901234567890.50,"html":"<b>&"}`, `{"n":12345678901234567890.50,"html":"<b>&"}`, ""},
		"null":             {`null`, `{}`, ""},
		"none":             {``, `{}`, ""},
		"a list":           {`[1,2]`, "", `{"name":"calc","arguments":[1,2]}`},
		"a number":         {`7`, "", `{"name":"calc","arguments":7}`},
	} {
		t.Run(name, func(t *testing.T) {
			function := `{"index":0,"name":"calc"`
			if tt.args != "" {
				function += `,"arguments":` + tt.args
			}
			s := ollamatest.New(t, ollamatest.Reply{Text: "Sure", Calls: json.RawMessage(`[{"id":"call_1","function":` + function + `}}]`)})
			got, err := read(t, &Model{Name: "test", Host: s.URL}, ask("Hello"))
			if err != nil {
				t.Fatal(err)
			}
			var want []parse.Call
			text := "Sure"
			if tt.want != "" {
				want = []parse.Call{{Name: "calc", Args: json.RawMessage(tt.want), Marked: true}}
			} else {
				text += "\n" + tt.text
			}
			if diff := cmp.Diff(want, got.Calls); diff != "" || got.Text != text {
				t.Errorf("text %q, want %q; calls (-want +got):\n%s", got.Text, text, diff)
			}
		})
	}
}

// What is no native call stays as it is, byte for byte.
func TestWrapArguments(t *testing.T) {
	for _, line := range []string{
		`{"message": {"content": "a"}}`,
		`{"message": {"content": "\"tool_calls\""}}`,
		`{"message": {"tool_calls": null}}`,
		`{"message": {"tool_calls": [1, "a"]}}`,
		`{"message": {"tool_calls": [{"function": {"name": "a"}}]}}`,
		`{"message": "tool_calls"}`,
		`{"tool_calls": 1}`,
	} {
		got := wrapArguments([]byte(line))
		if diff := cmp.Diff(object(t, line), object(t, string(got))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", line, diff)
		}
	}
	const call = `{"message":{"tool_calls":[{"function":{"name":"a","arguments":"x"}}]}}`
	const want = `{"message":{"tool_calls":[{"function":{"arguments":{"raw":"\"x\""},"name":"a"}}]}}`
	if got := string(wrapArguments([]byte(call))); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
