package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/spf13/pflag"

	"github.com/localagent/localagent/tools"
	commandtool "github.com/localagent/localagent/tools/command"
	"github.com/localagent/localagent/tools/permission"
)

// A config is what config files and the environment say. It stands below the
// flags: apply gives it to those that were not given on the command line.
//
// Its way through a command:
//
//	c, err := e.loadConfig(o.config, o.cwd)   // reads the files
//	err = c.apply(set)                        // before options.settle
//	err = c.applyModel(set, o.model)          // once the model is known
//	c.declared                                // more tools, beside the stock ones
//	p, err := c.policy(permission.Mode(o.approve), o.allow, o.deny, known)
//	c.sourceOf("num-ctx")                     // for doctor
type config struct {
	files    []string      // that were read, by rising precedence
	settings []configValue // by rising precedence
	models   []modelSettings
	rules    []permission.Rule
	defaults map[tools.Class]permission.Verdict
	declared []declaredTool

	sources map[string]string // by flag, where its value came from
}

// A configValue is the value of a flag, in the form that the flag reads.
type configValue struct{ flag, value, from string }

// modelSettings hold for the models whose name matches.
type modelSettings struct {
	glob     string
	settings []configValue
}

// A declaredTool is a program that the config makes a tool of.
type declaredTool struct {
	commandtool.Config
	from string
}

// A configFile is a config file that was read.
type configFile struct {
	path    string
	text    string
	project bool // found beside the work, not named by the user
}

// projectFile is the name of a project's config file.
const projectFile = ".localagent.toml"

// loadConfig reads the files and the environment: the file that the user names
// with --config or LOCALAGENT_CONFIG, or else the user's own and the project's,
// which is found in the folder cwd or above it.
func (e *env) loadConfig(named, cwd string) (*config, error) {
	named = cmp.Or(named, e.getenv("LOCALAGENT_CONFIG"))
	places := []configFile{{path: named}}
	if named == "" {
		places = []configFile{{path: userConfig(e.getenv)}, {path: findUpward(cwd, projectFile), project: true}}
	}
	var files []configFile
	for _, f := range places {
		text, err := os.ReadFile(f.path)
		switch {
		case f.path == "", named == "" && errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, &statusError{exitUsage, fmt.Errorf("config: %w", err)}
		}
		f.text = string(text)
		files = append(files, f)
	}
	return readConfig(files, e.getenv)
}

// userConfig is the user's config file, "" if there is no place for one.
func userConfig(getenv func(string) string) string {
	dir := getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) && runtime.GOOS == "windows" {
		dir = getenv("AppData")
	}
	if !filepath.IsAbs(dir) {
		if home := getenv("HOME"); home != "" {
			dir = filepath.Join(home, ".config")
		}
	}
	if !filepath.IsAbs(dir) {
		return ""
	}
	return filepath.Join(dir, "localagent", "config.toml")
}

// findUpward is the file of that name in dir or the nearest folder above, "" if
// there is none.
func findUpward(dir, name string) string {
	dir, err := filepath.Abs(dir)
	for err == nil {
		file := filepath.Join(dir, name)
		if st, err := os.Stat(file); err == nil && st.Mode().IsRegular() {
			return file
		}
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		dir = up
	}
	return ""
}

// envSettings are the variables that stand for a flag.
var envSettings = []configValue{
	{flag: "model", from: "LOCALAGENT_MODEL"},
	{flag: "host", from: "OLLAMA_HOST"},
	{flag: "approve", from: "LOCALAGENT_APPROVE"},
	{flag: "num-ctx", from: "LOCALAGENT_NUM_CTX"},
}

// readConfig reads files, by rising precedence, and the environment above them.
func readConfig(files []configFile, getenv func(string) string) (*config, error) {
	c := &config{defaults: map[tools.Class]permission.Verdict{}, sources: map[string]string{}}
	for _, f := range files {
		if err := c.read(f); err != nil {
			return nil, err
		}
		c.files = append(c.files, f.path)
	}
	for _, s := range envSettings {
		if s.value = getenv(s.from); s.value != "" {
			c.settings = append(c.settings, s)
		}
	}
	return c, nil
}

// rivals are flags that settle what another flag's setting would.
var rivals = map[string]string{"approve": "yes", "system": "system-file"}

// apply gives the settings to the flags of set that were not given. From then on
// these count as given.
func (c *config) apply(set *pflag.FlagSet) error {
	set.Visit(func(f *pflag.Flag) { c.sources[f.Name] = "flag" })
	last := map[string]configValue{}
	for _, s := range c.settings {
		last[s.flag] = s
	}
	for _, flag := range slices.Sorted(maps.Keys(last)) {
		if c.sources[flag] == "" && (rivals[flag] == "" || c.sources[rivals[flag]] == "") {
			if err := c.give(set, last[flag]); err != nil {
				return err
			}
		}
	}
	return nil
}

// applyModel gives what the config says of this model to the flags that neither
// the command line nor the environment has settled. The longest of the names that
// match counts.
func (c *config) applyModel(set *pflag.FlagSet, model string) error {
	sections := slices.Clone(c.models)
	slices.SortStableFunc(sections, func(a, b modelSettings) int { return cmp.Compare(len(a.glob), len(b.glob)) })
	for _, m := range sections {
		if !matchModel(m.glob, model) {
			continue
		}
		for _, s := range m.settings {
			if from := c.sources[s.flag]; from != "flag" && !isVariable(from) {
				if err := c.give(set, s); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func isVariable(from string) bool {
	return slices.ContainsFunc(envSettings, func(s configValue) bool { return s.from == from })
}

// matchModel says whether a glob matches a model's name, whose slashes are
// characters like others. A name without a tag is also NAME:latest.
func matchModel(glob, model string) bool {
	flat := strings.NewReplacer("/", "\x00")
	for _, name := range []string{model, model + ":latest"} {
		if ok, err := path.Match(flat.Replace(glob), flat.Replace(name)); ok && err == nil {
			return true
		}
		if strings.Contains(model, ":") {
			break
		}
	}
	return false
}

func (c *config) give(set *pflag.FlagSet, s configValue) error {
	if set.Lookup(s.flag) == nil {
		return nil // no flag of this command
	}
	if err := set.Set(s.flag, s.value); err != nil {
		var bad *pflag.InvalidValueError
		if errors.As(err, &bad) {
			err = plainCause(bad)
		}
		return usageErrorf("%s: %s: %q: %v", s.from, strings.ReplaceAll(s.flag, "-", "_"), s.value, err)
	}
	c.sources[s.flag] = s.from
	return nil
}

// sourceOf says where the value of a flag came from: "flag", a variable, a line
// of a file, or "built-in".
func (c *config) sourceOf(flag string) string { return cmp.Or(c.sources[flag], "built-in") }

// policy is the policy of the config with the rules of --allow and --deny, which
// stand above it. known are the names of the tools there are.
func (c *config) policy(mode permission.Mode, allow, deny, known []string) (*permission.Policy, error) {
	p := &permission.Policy{Mode: mode, Rules: slices.Clone(c.rules), Default: c.defaults}
	for _, flag := range []struct {
		verdict permission.Verdict
		name    string
		rules   []string
	}{{permission.Allow, "--allow", allow}, {permission.Deny, "--deny", deny}} {
		for _, s := range flag.rules {
			r, err := permission.ParseRuleAs(flag.verdict, s, flag.name)
			if err != nil {
				return nil, usageErrorf("%s: %v", flag.name, plainRuleError(err))
			}
			p.Rules = append(p.Rules, r)
		}
	}
	for _, r := range p.Rules {
		if err := checkTool(r, known); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// checkTool refuses a rule about a tool that does not exist when it looks like a
// mistake: a command without the word exec, or a slip of the keys. A rule about
// a tool that only another config declares does no harm.
func checkTool(r permission.Rule, known []string) error {
	if r.Tool == "" || slices.Contains(known, r.Tool) {
		return nil
	}
	hint := didYouMean("", r.Tool, known)
	if hint == "" && r.Pattern != "" {
		meant := permission.Rule{Verdict: r.Verdict, Class: tools.Exec, Pattern: r.Tool + " " + r.Pattern}
		hint = fmt.Sprintf("; did you mean %q?", meant.String())
	}
	if hint == "" {
		return nil
	}
	return usageErrorf("%s: the rule %q names the tool %s, which does not exist%s", r.Source, r.String(), r.Tool, hint)
}

// plainRuleError is an error of a rule without the name of the package.
func plainRuleError(err error) string { return strings.TrimPrefix(err.Error(), "permission: ") }

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
	if r.file.project && !filepath.IsLocal(p) {
		return "", r.own(at, "it may only name a file below its folder")
	}
	return r.fromHere(p), nil
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
			return usageErrorf("%s: %s", place, plainRuleError(err))
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
	want := ""
	ok := true
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
