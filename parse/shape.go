package parse

// The keys of a call: any name key goes with any arguments key.

func isNameKey(k string) bool {
	switch k {
	case "tool", "tool_name", "function_name", "function", "func", "name", "action":
		return true
	}
	return false
}

func isArgsKey(k string) bool {
	switch k {
	case "args", "arguments", "parameters", "params", "input", "tool_input", "action_input":
		return true
	}
	return false
}

func isEnvelopeKey(k string) bool {
	switch k {
	case "id", "type", "index", "call_id", "tool_call_id", "role", "content":
		return true
	}
	return false
}

// leadsCalls reports whether k may stand before the key of a wrapper: xLAM writes its
// thought there.
func leadsCalls(k string) bool { return k == "thought" || isEnvelopeKey(k) }

func isWrapperKey(k string) bool {
	switch k {
	case "tool_calls", "tool_call", "function", "function_call", "function_calls":
		return true
	}
	return false
}

// shape is the fields of an object, by what their keys mean in a call.
type shape struct {
	names  []field // name keys whose value is a string
	args   []field // arguments keys
	env    []field // envelope keys
	wraps  []field // wrapper keys whose value is an object or a list
	other  []field // the rest
	fields int     // how many there are
	first  field
}

// add adds a field of an object in c.
func (s *shape) add(c string, f field) {
	if s.fields++; s.fields == 1 {
		s.first = f
	}
	v := c[f.valAt]
	switch {
	case isNameKey(f.key) && v == '"':
		s.names = append(s.names, f)
	case isWrapperKey(f.key) && (v == '{' || v == '['):
		s.wraps = append(s.wraps, f)
	case isArgsKey(f.key):
		s.args = append(s.args, f)
	case isEnvelopeKey(f.key) && (f.key != "content" || c[f.valAt:f.valEnd] == "null"):
		s.env = append(s.env, f)
	default:
		s.other = append(s.other, f)
	}
}

// shape fills s with the fields of the object at c[i:].
func (j *judge) shape(s *shape, i int) {
	if j.room != nil {
		s.names, s.args = j.room.names[:0], j.room.args[:0]
	}
	if i == 0 && len(j.outer) > 0 {
		for _, m := range j.outer {
			s.add(j.c, field{key: unquote(j.c[m.keyAt:m.keyEnd]), keyAt: m.keyAt, valAt: m.valAt, valEnd: m.valEnd})
		}
		return
	}
	for f := range fields(j.c, i) {
		s.add(j.c, f)
	}
}
