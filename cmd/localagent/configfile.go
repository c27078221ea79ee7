package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/localagent/localagent/tools"
	commandtool "github.com/localagent/localagent/tools/command"
	"github.com/localagent/localagent/tools/permission"
)

// A kind is what the value of a key may be.
type kind uint8

const (
	aText   kind = iota
	aFile        // a path, from the folder of the file it stands in
	aList        // of texts
	anInt        // a whole number
	aNumber      // any number
	aTime        // "90s", or a number of seconds
	aWord        // a text, true or false, or a number
)

var kindNames = map[kind]string{
	aText: "a text", aFile: "a path", aList: `a list of texts, such as ["a", "b"]`, anInt: "a whole number", aNumber: "a number",
	aTime: `a time such as "90s" or "5m", or a number of seconds`, aWord: "a text, true or false, or a number",
}

// A configKey is a key of a config file whose value a flag takes.
type configKey struct {
	kind  kind
	flag  string
	model bool   // may stand in [models."NAME"] too
	own   string // why a project's file may not have it
}

var configKeys = map[string]configKey{
	"model":        {aText, "model", false, ""},
	"host":         {aText, "host", false, "it would send what you ask to a server that you did not choose"},
	"system":       {aText, "system", true, ""},
	"instructions": {aFile, "instructions", false, ""},
	"tools":        {aList, "tool", false, ""},
	"num_ctx":      {anInt, "num-ctx", true, ""},
	"temperature":  {aNumber, "temperature", true, ""},
	"seed":         {anInt, "seed", true, ""},
	"max_steps":    {anInt, "max-steps", true, ""},
	"max_tokens":   {anInt, "max-tokens", true, ""},
	"timeout":      {aTime, "timeout", true, ""},
	"tool_timeout": {aTime, "tool-timeout", false, ""},
	"approve":      {aText, "approve", false, ""},
	"dialect":      {aText, "dialect", true, ""},
	"keep_alive":   {aWord, "keep-alive", true, ""},
	"think":        {aWord, "think", true, ""},
	"loop_guard":   {aText, "loop-guard", true, ""},
}

// configTables are the keys that hold tables.
var configTables = []string{"permission", "models", "tool"}

// A tableReader reads the tables of one file.
type tableReader struct {
	c     *config
	file  configFile
	lines map[string]int // where a key stands
}

// read adds what a file says.
func (c *config) read(f configFile) error {
	r := &tableReader{c: c, file: f, lines: keyLines(f.text)}
	var top map[string]any
	if _, err := toml.Decode(f.text, &top); err != nil {
		var syntax toml.ParseError
		if errors.As(err, &syntax) {
			return usageErrorf("%s:%d: %s", f.path, syntax.Position.Line, syntax.Message)
		}
		return usageErrorf("%s: %v", f.path, err)
	}
	for _, name := range r.sorted("", top) {
		if err := r.top(name, top[name]); err != nil {
			return err
		}
	}
	return nil
}

// errorf is an error at a key.
func (r *tableReader) errorf(at, format string, args ...any) error {
	return usageErrorf("%s: %s: %s", r.place(at), at, fmt.Sprintf(format, args...))
}

// place is where a key stands.
func (r *tableReader) place(at string) string {
	if n := r.lines[plain(at)]; n > 0 {
		return r.file.path + ":" + strconv.Itoa(n)
	}
	return r.file.path
}

// unknown is the error of a key that does not exist.
func (r *tableReader) unknown(at, name string, known []string) error {
	hint := didYouMean("", name, known)
	if hint == "" {
		hint = "; there are " + strings.Join(known, ", ")
	}
	return usageErrorf("%s: unknown key %q%s", r.place(at), at, hint)
}

func (r *tableReader) top(name string, v any) error {
	if k, ok := configKeys[name]; ok {
		s, err := r.setting(name, k, v)
		if err == nil {
			r.c.settings = append(r.c.settings, s)
		}
		return err
	}
	switch name {
	case "permission":
		return r.table(name, v, r.permission)
	case "models":
		return r.table(name, v, r.model)
	case "tool":
		return r.tools(v)
	}
	return r.unknown(name, name, slices.Concat(slices.Sorted(maps.Keys(configKeys)), configTables))
}

// setting reads the value of a key that stands for a flag.
func (r *tableReader) setting(at string, k configKey, v any) (configValue, error) {
	text, ok := valueText(k.kind, v)
	switch {
	case !ok:
		return configValue{}, r.errorf(at, "want %s", kindNames[k.kind])
	case r.file.project && k.own != "":
		return configValue{}, r.own(at, k.own)
	case r.file.project && k.flag == "approve" && text != string(permission.ModeNever):
		return configValue{}, r.own(at, `it may only say "never"`)
	case r.file.project && k.flag == "model" && isReplay(text):
		return configValue{}, r.own(at, "recorded replies are calls that somebody else chose")
	}
	if k.kind == aFile {
		var err error
		if text, err = r.path(at, text); err != nil {
			return configValue{}, err
		}
	}
	return configValue{k.flag, text, r.place(at)}, nil
}

// own is the error of what only the user may set.
func (r *tableReader) own(at, why string) error {
	return r.errorf(at, "not in a project's file: %s; put it into your own config, or name this file with --config if you trust it", why)
}

// path is a path from the folder of the file.
func (r *tableReader) path(at, p string) (string, error) {
	file := r.fromHere(p)
	if r.file.project && (!filepath.IsLocal(p) || leadsOut(filepath.Dir(r.file.path), file)) {
		return "", r.own(at, "it may only name a file below its folder")
	}
	return file, nil
}

// leadsOut says whether links lead from a file in dir to one outside.
func leadsOut(dir, file string) bool {
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return false // there is nothing to read
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return true
	}
	rel, err := filepath.Rel(dir, real)
	return err != nil || !filepath.IsLocal(rel)
}

func (r *tableReader) fromHere(p string) string {
	if filepath.IsAbs(p) {
		return p
	}
	dir := filepath.Dir(r.file.path)
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs // a program without a slash would be looked for in PATH
	}
	return filepath.Join(dir, p)
}

// valueText is a value in the form that its flag reads.
func valueText(k kind, v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, k == aText || k == aFile || k == aTime || k == aWord
	case bool:
		return strconv.FormatBool(v), k == aWord
	case int64:
		return strconv.FormatInt(v, 10), k == anInt || k == aNumber || k == aTime || k == aWord
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), k == aNumber || k == aTime
	case []any:
		texts, ok := textList(v)
		return strings.Join(texts, ","), ok && k == aList
	}
	return "", false
}

func textList(list []any) ([]string, bool) {
	texts := make([]string, len(list))
	for i, e := range list {
		text, ok := e.(string)
		if !ok {
			return nil, false
		}
		texts[i] = text
	}
	return texts, true
}

// table reads each key of a table, in the order of their lines.
func (r *tableReader) table(at string, v any, read func(at, name string, v any) error) error {
	t, ok := v.(map[string]any)
	if !ok {
		return r.errorf(at, "want a table, [%s]", at)
	}
	for _, name := range r.sorted(at+".", t) {
		if err := read(at+"."+name, name, t[name]); err != nil {
			return err
		}
	}
	return nil
}

// sorted are the keys of a table in the order of the file.
func (r *tableReader) sorted(prefix string, t map[string]any) []string {
	return slices.SortedFunc(maps.Keys(t), func(a, b string) int {
		return cmp.Or(cmp.Compare(r.lines[plain(prefix+a)], r.lines[plain(prefix+b)]), cmp.Compare(a, b))
	})
}

// permission reads a key of [permission].
func (r *tableReader) permission(at, name string, v any) error {
	var class tools.Class
	switch {
	case name == "rules":
		return r.rules(at, v)
	case class.UnmarshalText([]byte(name)) != nil:
		return r.unknown(at, name, []string{"read", "write", "exec", "rules"})
	}
	i := slices.IndexFunc(verdicts, func(w permission.Verdict) bool { return w.String() == v })
	switch {
	case i < 0:
		return r.errorf(at, `want "allow", "ask" or "deny"`)
	case !r.file.project:
		r.c.defaults[class] = verdicts[i]
	case verdicts[i] == permission.Deny:
		r.c.rules = append(r.c.rules, permission.Rule{Verdict: permission.Deny, Class: class, Source: r.place(at)})
	default:
		return r.own(at, `it may only say "deny"`)
	}
	return nil
}

var verdicts = []permission.Verdict{permission.Allow, permission.Ask, permission.Deny}

func (r *tableReader) rules(at string, v any) error {
	list, _ := v.([]any)
	texts, ok := textList(list)
	if !ok || list == nil {
		return r.errorf(at, "want %s", kindNames[aList])
	}
	for _, text := range texts {
		place := r.ruleLine(at, text)
		rule, err := permission.ParseRule(text, place)
		switch {
		case err != nil:
			return usageErrorf("%s: %s", place, plainText(err))
		case r.file.project && rule.Verdict != permission.Deny:
			return usageErrorf("%s: the rule %q: not in a project's file: it may only deny; put it into your own config, or name this file with --config if you trust it", place, text)
		}
		r.c.rules = append(r.c.rules, rule)
	}
	return nil
}

// ruleLine is where a rule of a list stands.
func (r *tableReader) ruleLine(at, text string) string {
	first := r.lines[plain(at)]
	for i, line := range strings.Split(r.file.text, "\n") {
		if i+1 >= first && strings.Contains(line, text) {
			return r.file.path + ":" + strconv.Itoa(i+1)
		}
	}
	return r.place(at)
}

// model reads [models."NAME"].
func (r *tableReader) model(at, name string, v any) error {
	if _, err := path.Match(name, ""); err != nil {
		return r.errorf(at, "the name is no glob")
	}
	m := modelSettings{glob: name}
	err := r.table(at, v, func(at, name string, v any) error {
		k, ok := configKeys[name]
		if !ok || !k.model {
			return r.unknown(at, name, modelKeys())
		}
		s, err := r.setting(at, k, v)
		m.settings = append(m.settings, s)
		return err
	})
	r.c.models = append(r.c.models, m)
	return err
}

func modelKeys() []string {
	var names []string
	for name, k := range configKeys {
		if k.model {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// tools reads the [[tool]] tables.
func (r *tableReader) tools(v any) error {
	list, ok := v.([]map[string]any)
	if !ok {
		return r.errorf("tool", "want a table for each, [[tool]]")
	}
	for i, t := range list {
		at := fmt.Sprintf("tool[%d]", i)
		if r.file.project {
			return usageErrorf("%s: [[tool]]: not in a project's file: it would run programs of a folder that you only cloned; put it into your own config, or name this file with --config if you trust it", r.place(at))
		}
		if err := r.tool(at, t); err != nil {
			return err
		}
	}
	return nil
}

func (r *tableReader) tool(at string, t map[string]any) error {
	d := declaredTool{from: r.place(at)}
	err := r.table(at, t, func(at, name string, v any) error { return r.toolKey(&d.Config, at, name, v) })
	switch {
	case err != nil:
		return err
	case d.Name == "":
		return usageErrorf("%s: [[tool]]: it has no name", d.from)
	case len(d.Command) == 0:
		return usageErrorf(`%s: tool %s: it has no command, such as ["./weather.sh"]`, d.from, d.Name)
	case d.Description == "":
		return usageErrorf("%s: tool %s: it has no description; the model would not know what it is for", d.from, d.Name)
	}
	if i := slices.IndexFunc(r.c.declared, func(o declaredTool) bool { return o.Name == d.Name }); i >= 0 {
		return usageErrorf("%s: tool %s: there is one of that name at %s", d.from, d.Name, r.c.declared[i].from)
	}
	r.c.declared = append(r.c.declared, d)
	return nil
}

func (r *tableReader) toolKey(c *commandtool.Config, at, name string, v any) error {
	var want string
	var ok bool
	switch name {
	case "name":
		c.Name, ok = v.(string)
		want = kindNames[aText]
	case "description":
		c.Description, ok = v.(string)
		want = kindNames[aText]
	case "command":
		list, _ := v.([]any)
		c.Command, ok = textList(list)
		ok = ok && len(c.Command) > 0
		want = kindNames[aList]
		if ok && strings.ContainsRune(filepath.ToSlash(c.Command[0]), '/') {
			c.Command[0] = r.fromHere(c.Command[0]) // not from wherever the user happens to work
		}
	case "class":
		text, _ := v.(string)
		ok = c.Class.UnmarshalText([]byte(text)) == nil
		want = `"read", "write" or "exec"`
	case "schema":
		c.Schema, ok = schemaOf(v)
		want = "a JSON Schema of an object, as a text or a table"
	case "volatile":
		c.Volatile, ok = v.(bool)
		want = "true or false"
	case "timeout":
		text, isTime := valueText(aTime, v)
		ok = isTime && (*duration)(&c.Timeout).Set(text) == nil
		want = kindNames[aTime]
	default:
		return r.unknown(at, name, []string{"name", "description", "command", "class", "schema", "volatile", "timeout"})
	}
	if !ok {
		return r.errorf(at, "want %s", want)
	}
	return nil
}

// schemaOf is a schema that is written as JSON or as a table.
func schemaOf(v any) (json.RawMessage, bool) {
	raw, isText := v.(string)
	if !isText {
		b, err := json.Marshal(v)
		if err != nil {
			return nil, false
		}
		raw = string(b)
	}
	var object map[string]json.RawMessage
	return json.RawMessage(raw), json.Unmarshal([]byte(raw), &object) == nil && object != nil
}

// keyLines says on which line each key and table of a TOML file stands, for
// messages: "permission.rules", "tool[1].name". In a text of several lines it may
// see a key where there is none; the first of a name counts.
func keyLines(text string) map[string]int {
	lines, counts, table := map[string]int{}, map[string]int{}, ""
	note := func(at string, i int) {
		if lines[at] == 0 {
			lines[at] = i + 1
		}
	}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		switch name, _, isKey := strings.Cut(line, "="); {
		case strings.HasPrefix(line, "[[") && strings.Contains(line, "]]"):
			name, _, _ := strings.Cut(line[2:], "]]")
			name = plain(name)
			table = fmt.Sprintf("%s[%d].", name, counts[name])
			counts[name]++
			note(name, i)
			note(strings.TrimSuffix(table, "."), i)
		case strings.HasPrefix(line, "[") && strings.Contains(line, "]"):
			table = plain(line[1:strings.LastIndex(line, "]")]) + "."
			for at := strings.TrimSuffix(table, "."); at != ""; at, _ = cutLast(at, ".") {
				note(at, i)
			}
		case isKey && !strings.HasPrefix(line, "#"):
			name = table + plain(name)
			note(name, i)
		}
	}
	return lines
}

func cutLast(s, sep string) (before, after string) {
	i := max(strings.LastIndex(s, sep), 0)
	return s[:i], s[i:]
}

// plain is a key without quotes and spaces.
func plain(key string) string {
	return strings.NewReplacer(`"`, "", "'", "", " ", "", "\t", "").Replace(key)
}
