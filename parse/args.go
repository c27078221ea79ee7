package parse

import "strings"

// arguments reads the arguments of a call; raw is canonical JSON of any kind or
// "". The tool is -1 if it is not known. A reason says that they are none.
func (j *judge) arguments(tool int, raw string, at int) (args string, repairs []Repair, reason Reason) {
	f := j.reg.of(tool)
	switch {
	case raw == "":
		return "{}", nil, ""
	case raw == "null" || raw == `""`:
		return "{}", []Repair{{RepairArgsMissing, at}}, ""
	case raw[0] == '{':
		return j.unwrapArgs(tool, f, raw, at, !j.noSchema)
	case raw[0] == '"':
		return j.stringArgs(tool, f, raw, at)
	case raw[0] == '[':
		if args, ok := oneElement(raw); ok {
			switch args[0] {
			case '{':
				if f.params != nil && !f.hasAny(args) {
					break // such as [{"name":KEY,"value":VALUE}]
				}
				args, repairs, reason = j.unwrapArgs(tool, f, args, at, !j.noSchema)
				return args, append([]Repair{{RepairArgsList, at}}, repairs...), reason
			case '"':
				if f.only != "" {
					return onlyArg(f.only, args), []Repair{{RepairPositional, at}}, ""
				}
			default:
				if j.place.hard && f.params[f.lone].kind == typeJSON {
					return onlyArg(f.lone, args), []Repair{{RepairPositional, at}}, ""
				}
			}
		}
	}
	return "", nil, ReasonBadArgs
}

// hasAny reports whether the schema declares a key of the object, or the object
// has none.
func (f *facts) hasAny(object string) bool {
	for m := range fields(object, 0) {
		if f.has(m.key) {
			return true
		}
	}
	return object == "{}"
}

// oneElement returns the element of a list of one.
func oneElement(raw string) (string, bool) {
	if raw == "[]" || skipValue(raw, 1) != len(raw)-1 {
		return "", false
	}
	return raw[1 : len(raw)-1], true
}

func onlyArg(param, value string) string {
	b := append([]byte{'{'}, appendQuoted(nil, param)...)
	b = append(b, ':')
	b = append(b, value...)
	return string(append(b, '}'))
}

// stringArgs reads arguments that were encoded as a string, at most twice.
func (j *judge) stringArgs(tool int, f *facts, raw string, at int) (string, []Repair, Reason) {
	s := raw
	for range 2 {
		text := strings.TrimSpace(unquote(s))
		if rest, ok := strings.CutPrefix(text, "json"); ok && strings.HasPrefix(strings.TrimSpace(rest), "{") {
			text = strings.TrimSpace(rest)
		}
		if text == "" {
			return "{}", []Repair{{RepairArgsMissing, at}}, ""
		}
		c, bad := readWhole(text)
		if bad != "" {
			if text[0] == '{' {
				return "", nil, bad
			}
			break
		}
		if c[0] == '{' {
			args, repairs, reason := j.unwrapArgs(tool, f, c, at, true)
			return args, append([]Repair{{RepairArgsString, at}}, repairs...), reason
		}
		if s = c; c[0] != '"' {
			break
		}
	}
	if f.only != "" && s == raw && !assigns(unquote(raw), f.only) && !j.calls(tool, unquote(raw)) {
		return onlyArg(f.only, raw), []Repair{{RepairPositional, at}}, ""
	}
	return "", nil, ReasonBadArgs
}

// assigns reports whether text begins with the name of a parameter and the sign
// that gives it a value: it is not the value itself.
func assigns(text, param string) bool {
	text = strings.TrimPrefix(strings.TrimSpace(text), "dict")
	rest, ok := strings.CutPrefix(strings.TrimLeft(text, " \t\r\n`'\"{("), param)
	rest = strings.TrimLeft(rest, " \t`'\"")
	return ok && rest != "" && (rest[0] == ':' || rest[0] == '=' && !strings.HasPrefix(rest, "=="))
}

// calls reports whether text is itself a call of the tool.
func (j *judge) calls(tool int, text string) bool {
	n, known := callName(strings.TrimSpace(text), j.reg)
	if !known || !strings.HasSuffix(strings.TrimSpace(text), ")") {
		return false
	}
	t, _ := j.reg.lookup(strings.TrimSpace(text)[:n])
	return t == tool
}

// unwrapArgs takes an object of arguments out of an echoed schema or out of a
// call of the same tool that was written into its own arguments; schema says that
// some key in it may be one of a schema.
func (j *judge) unwrapArgs(tool int, f *facts, raw string, at int, schema bool) (string, []Repair, Reason) {
	if describes(raw, f) {
		return "", nil, ReasonSchemaEcho
	}
	odd, props := oddArgs(raw), -1
	if schema {
		props = properties(raw)
	}
	if !odd && props < 0 {
		return raw, nil, ""
	}
	var s shape
	for m := range fields(raw, 0) {
		s.add(raw, m)
	}
	if inner, ok := j.doubled(&s, raw, tool, f); ok {
		return inner, []Repair{{RepairDoubledCall, at}}, ""
	}
	if props < 0 || f.has("properties") {
		return raw, nil, ""
	}
	some, all := schemas(raw, props)
	switch {
	case !all && !(odd && (s.fields == 1 || typed(raw, f))):
		return raw, nil, ""
	case tool >= 0 && fits(raw, props, f) && !some:
		return raw[props:skipValue(raw, props)], []Repair{{RepairSchemaEcho, at}}, ""
	}
	return "", nil, ReasonSchemaEcho
}

// oddArgs reports whether arguments may be a schema or a call: all of their
// keys are keys of one.
func oddArgs(raw string) bool {
	for f := range fields(raw, 0) {
		switch f.key {
		case "properties", "required", "additionalProperties", "$schema", "description", "title":
		default:
			if !isNameKey(f.key) && !isArgsKey(f.key) && !isEnvelopeKey(f.key) {
				return false
			}
		}
	}
	return raw != "{}"
}

// properties finds the object that stands under properties in arguments, -1 if
// none does.
func properties(raw string) int {
	for f := range fields(raw, 0) {
		if f.key == "properties" && raw[f.valAt] == '{' {
			return f.valAt
		}
	}
	return -1
}

// typed reports whether the arguments have the type of a schema, in whatever
// language's word: "object", "dict", "HashMap".
func typed(raw string, f *facts) bool {
	for m := range fields(raw, 0) {
		if m.key == "type" && raw[m.valAt] == '"' {
			return f.params != nil && !f.has(m.key) || raw[m.valAt:m.valEnd] == `"object"`
		}
	}
	return false
}

// describes reports whether the arguments only describe the parameters: each
// value is a schema, and one of them cannot be the value of its parameter.
func describes(raw string, f *facts) bool {
	wrong := false
	for m := range fields(raw, 0) {
		if !f.has(m.key) || raw[m.valAt] != '{' || !hasKey(raw, m.valAt, "type") {
			return false
		}
		wrong = wrong || !f.params[m.key].object
	}
	return wrong
}

// hasKey reports whether the object at c[i:] has the key.
func hasKey(c string, i int, key string) bool {
	for m := range fields(c, i) {
		if m.key == key {
			return true
		}
	}
	return false
}

// schemas reports whether some value of the object at c[i:] is itself a schema,
// and whether all are.
func schemas(c string, i int) (some, all bool) {
	all = c[i+1] != '}'
	for m := range fields(c, i) {
		typed := c[m.valAt] == '{' && hasKey(c, m.valAt, "type")
		some = some || typed || c[m.valAt] == '{' && hasKey(c, m.valAt, "description")
		all = all && typed
	}
	return some, all
}

// doubled returns the arguments of a call that stands in its own arguments.
func (j *judge) doubled(s *shape, raw string, tool int, f *facts) (string, bool) {
	if tool < 0 || len(s.names) != 1 || len(s.args) != 1 || len(s.other) > 0 || len(s.wraps) > 0 || raw[s.args[0].valAt] != '{' {
		return "", false
	}
	if f.has(s.names[0].key) || f.has(s.args[0].key) {
		return "", false
	}
	t, _ := j.reg.lookup(unquote(raw[s.names[0].valAt:s.names[0].valEnd]))
	return raw[s.args[0].valAt:s.args[0].valEnd], t == tool
}

// fits reports whether the object at c[i:] has keys and each is a parameter.
func fits(c string, i int, f *facts) bool {
	for m := range fields(c, i) {
		if !f.has(m.key) {
			return false
		}
	}
	return c[i+1] != '}'
}
