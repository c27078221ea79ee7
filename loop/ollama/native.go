package ollama

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/ollama/ollama/api"

	"github.com/localagent/localagent/parse"
)

// rawArguments is the key under which [wrapArguments] puts arguments.
const rawArguments = "raw"

// wrapArguments puts the arguments of native calls in a line, whatever they
// are, into an object that holds their text.
func wrapArguments(line []byte) []byte {
	if !bytes.Contains(line, []byte(`"tool_calls"`)) {
		return line
	}
	return editField(line, "message", func(message json.RawMessage) json.RawMessage {
		return editField(message, "tool_calls", func(calls json.RawMessage) json.RawMessage {
			return editItems(calls, func(call json.RawMessage) json.RawMessage {
				return editField(call, "function", func(function json.RawMessage) json.RawMessage {
					return editField(function, "arguments", func(args json.RawMessage) json.RawMessage {
						return encode(map[string]string{rawArguments: string(args)})
					})
				})
			})
		})
	})
}

// editField changes one field of a JSON object. What is no object or lacks the
// field stays as it is.
func editField(object json.RawMessage, name string, edit func(json.RawMessage) json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(object, &fields) != nil || fields[name] == nil {
		return object
	}
	fields[name] = edit(fields[name])
	return encode(fields)
}

// editItems changes each item of a JSON list. What is no list stays as it is.
func editItems(list json.RawMessage, edit func(json.RawMessage) json.RawMessage) json.RawMessage {
	var items []json.RawMessage
	if json.Unmarshal(list, &items) != nil {
		return list
	}
	for i, item := range items {
		items[i] = edit(item)
	}
	return encode(items)
}

// encode is for values that always have a JSON form.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("ollama: " + err.Error())
	}
	return b
}

// nativeCall reads a call that came in a field of its own, although nobody asked
// for it: some servers take calls out of the text by themselves. It is read as
// if it stood in the text, since package parse alone knows what arguments are.
// text is the call when it cannot be read.
func nativeCall(c api.ToolCall) (call parse.Call, text string, ok bool) {
	fields := []byte(`{"name":` + string(encode(c.Function.Name)))
	if raw, _ := c.Function.Arguments.Get(rawArguments); raw != nil {
		fields = fmt.Appendf(fields, `,"arguments":%v`, raw)
	}
	text = string(append(fields, '}'))
	o := parse.Options{Tools: []parse.Tool{{Name: c.Function.Name}}}
	r := parse.Parse(text, o, parse.FinishStop)
	if r.Outcome != parse.Calls || len(r.Calls) != 1 {
		return parse.Call{}, text, false
	}
	return parse.Call{Name: r.Calls[0].Name, Args: r.Calls[0].Args, Marked: true}, "", true
}
