package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/localagent/localagent/tools"
	"github.com/localagent/localagent/tools/permission"
)

const (
	userFile = "/home/u/.config/localagent/config.toml"
	workFile = "/home/u/p/.localagent.toml"
)

// user and project are config files of that text.
func user(text string) configFile    { return configFile{path: userFile, text: text} }
func project(text string) configFile { return configFile{path: workFile, text: text, project: true} }

func vars(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

// applied are the flags of run after a config was applied.
func applied(t *testing.T, c *config, args ...string) (*options, *pflag.FlagSet) {
	t.Helper()
	o := &options{}
	set, _ := runCommand().flags(o)
	if err := set.Parse(args); err != nil {
		t.Fatal(err)
	}
	if err := c.apply(set); err != nil {
		t.Fatal(err)
	}
	return o, set
}

func TestConfigKeys(t *testing.T) {
	c, err := readConfig([]configFile{user(`
# every key
model = "gemma3:12b"
host = "http://box:11434"
system = """
Be brief.
Be kind."""
instructions = "rules.md"
tools = ["read_file", "run_shell"]
num_ctx = 16384
temperature = 0.5
seed = 7
max_steps = -1
max_tokens = 100000
timeout = "5m"
tool_timeout = 90
approve = "edits"
dialect = "hermes"
keep_alive = -1
think = true
loop_guard = "stop"
`)}, vars())
	if err != nil {
		t.Fatal(err)
	}
	o, _ := applied(t, c)
	for what, equal := range map[string]bool{
		"model":        o.model == "gemma3:12b",
		"host":         o.host == "http://box:11434",
		"system":       o.system == "Be brief.\nBe kind.",
		"instructions": o.instructions == filepath.FromSlash("/home/u/.config/localagent/rules.md"),
		"tools":        slices.Equal(o.tools, []string{"read_file", "run_shell"}),
		"num_ctx":      o.numCtx == 16384,
		"temperature":  o.temperature == 0.5,
		"seed":         o.seed == 7 && o.changed("seed") == false, // o.set is settle's
		"max_steps":    o.maxSteps == -1,
		"max_tokens":   o.maxTokens == 100000,
		"timeout":      o.timeout == 5*time.Minute,
		"tool_timeout": o.toolTimeout == 90*time.Second,
		"approve":      o.approve == "edits",
		"dialect":      o.dialect == "hermes",
		"keep_alive":   o.keepAlive == "-1",
		"think":        o.think == "true",
		"loop_guard":   o.guard == "stop",
	} {
		if !equal {
			t.Errorf("%s is not what the file says", what)
		}
	}
	if got := c.sourceOf("num-ctx"); got != userFile+":10" {
		t.Errorf("num_ctx comes from %s", got)
	}
}

// Flag, then environment, then project, then user, then what is built in; and
// every value knows where it comes from.
func TestConfigPrecedence(t *testing.T) {
	all := []configFile{user("model = 'user'\nnum_ctx = 1\nseed = 1\n"), project("model = 'project'\nnum_ctx = 2\n")}
	env := vars("LOCALAGENT_MODEL", "env", "OLLAMA_HOST", "env:1", "LOCALAGENT_NUM_CTX", "", "LOCALAGENT_APPROVE", "never")
	for _, row := range []struct {
		name  string
		files []configFile
		env   func(string) string
		args  string
		want  string // flag=value (source), …
	}{
		{"nothing", nil, vars(), "", "model= (built-in) num-ctx=0 (built-in) approve=ask (built-in)"},
		{"user", all[:1], vars(), "", "model=user (" + userFile + ":1) num-ctx=1 (" + userFile + ":2)"},
		{"project above user", all, vars(), "", "model=project (" + workFile + ":1) num-ctx=2 (" + workFile + ":2) seed=1 (" + userFile + ":3)"},
		{"environment above project", all, env, "", "model=env (LOCALAGENT_MODEL) num-ctx=2 (" + workFile + ":2) host=env:1 (OLLAMA_HOST) approve=never (LOCALAGENT_APPROVE)"},
		{"flag above all", all, env, "-m flag --num-ctx 9", "model=flag (flag) num-ctx=9 (flag) host=env:1 (OLLAMA_HOST)"},
		{"a flag of the same value", all, env, "--approve ask", "approve=ask (flag)"},
		{"-y is a flag for approve", all, env, "-y", "approve=ask (built-in) yes=true (flag)"},
		{"--system-file is a flag for system", []configFile{user("system = 'x'")}, vars(), "--system-file y", "system= (built-in)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, err := readConfig(row.files, row.env)
			if err != nil {
				t.Fatal(err)
			}
			_, set := applied(t, c, strings.Fields(row.args)...)
			for _, want := range strings.Split(strings.ReplaceAll(row.want, ") ", ")\n"), "\n") {
				flag, _, _ := strings.Cut(want, "=")
				got := fmt.Sprintf("%s=%s (%s)", flag, set.Lookup(flag).Value, c.sourceOf(flag))
				if got != want {
					t.Errorf("%s, want %s", got, want)
				}
			}
		})
	}
}

func TestConfigModels(t *testing.T) {
	c, err := readConfig([]configFile{user(`
temperature = 0.9
num_ctx = 8192

[models."*"]
num_ctx = 4096

[models."gemma3:*"]
num_ctx = 16384
dialect = "pythonic"

[models."gemma3:27b*"]
num_ctx = 32768

[models."hf.co/*"]
seed = 3

[models.plain]
seed = 4
`)}, vars())
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ model, args, env, want string }{
		{"gemma3:4b", "", "", "16384 pythonic 0.9 0"},
		{"gemma3:27b-q4", "", "", "32768 pythonic 0.9 0"},
		{"other", "", "", "4096 auto 0.9 0"},
		{"hf.co/a/b:q4", "", "", "4096 auto 0.9 3"},
		{"plain", "", "", "4096 auto 0.9 4"},
		{"plainer", "", "", "4096 auto 0.9 0"},
		{"gemma3:4b", "--num-ctx 1", "", "1 pythonic 0.9 0"},
		{"gemma3:4b", "", "2", "2 pythonic 0.9 0"},
		{"gemma3:4b", "--dialect react", "2", "2 react 0.9 0"},
	} {
		c.settings = slices.DeleteFunc(c.settings, func(s configValue) bool { return isVariable(s.from) })
		if row.env != "" {
			c.settings = append(c.settings, configValue{"num-ctx", row.env, "LOCALAGENT_NUM_CTX"})
		}
		c.sources = map[string]string{}
		o, set := applied(t, c, strings.Fields(row.args)...)
		if err := c.applyModel(set, row.model); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(o.numCtx, " ", o.dialect, " ", o.temperature, " ", o.seed); got != row.want {
			t.Errorf("%s %s: %s, want %s", row.model, row.args, got, row.want)
		}
	}
	if got := c.sourceOf("dialect"); got != "flag" {
		t.Errorf("dialect comes from %s", got)
	}
}

func TestConfigPermission(t *testing.T) {
	c, err := readConfig([]configFile{
		user(`
[permission]
read = "allow"
exec = "ask"
rules = ["allow exec git log *", # the log
	"deny write .git/**",
	'allow exec grep "a b" *',
]`),
		project(`
[permission]
exec = "deny"
rules = ["deny read **/.env"]`),
	}, vars())
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.policy(permission.ModeEdits, []string{"exec make *", "weather"}, []string{"read secrets/**"}, []string{"weather"})
	if err != nil {
		t.Fatal(err)
	}
	want := &permission.Policy{
		Mode:    permission.ModeEdits,
		Default: map[tools.Class]permission.Verdict{tools.Read: permission.Allow, tools.Exec: permission.Ask},
		Rules: []permission.Rule{
			{Verdict: permission.Allow, Class: tools.Exec, Pattern: "git log *", Source: userFile + ":5"},
			{Verdict: permission.Deny, Class: tools.Write, Pattern: ".git/**", Source: userFile + ":6"},
			{Verdict: permission.Allow, Class: tools.Exec, Pattern: `grep "a b" *`, Source: userFile + ":7"},
			{Verdict: permission.Deny, Class: tools.Exec, Source: workFile + ":3"},
			{Verdict: permission.Deny, Class: tools.Read, Pattern: "**/.env", Source: workFile + ":4"},
			{Verdict: permission.Allow, Class: tools.Exec, Pattern: "make *", Source: "--allow"},
			{Verdict: permission.Allow, Tool: "weather", Source: "--allow"},
			{Verdict: permission.Deny, Class: tools.Read, Pattern: "secrets/**", Source: "--deny"},
		},
	}
	if d := cmp.Diff(want, p); d != "" {
		t.Error(d)
	}
}

func TestConfigPolicyErrors(t *testing.T) {
	known := []string{"read_file", "run_shell"}
	for _, row := range []struct {
		file        string
		allow, deny string
		want        string
	}{
		{"", "exec ls; rm", "", `--allow: rule "exec ls; rm": "ls; rm" is not the words of one command`},
		{"", "", "git push", `--deny: the rule "deny git push" names the tool git, which does not exist; did you mean "deny exec git push"?`},
		{"", "run_shel", "", `--allow: the rule "allow tool run_shel" names the tool run_shel, which does not exist; did you mean run_shell?`},
		{"", "", "exce ls", `--deny: the rule "deny exce ls" names the tool exce, which does not exist; did you mean exec?`},
		{"[permission]\nrules = ['allow rm -rf *']", "", "", userFile + `:2: the rule "allow rm -rf *" names the tool rm, which does not exist; did you mean "allow exec rm -rf *"?`},
		{"", "allow exec ls", "", `--allow: the rule "allow allow exec ls" names the tool allow`},
		{"[permission]\nrules = ['deny tool weather']", "", "", ""}, // declared elsewhere
		{"", "run_shell ls *", "", ""},
	} {
		c, err := readConfig([]configFile{user(row.file)}, vars())
		if err != nil {
			t.Fatal(err)
		}
		list := func(s string) []string {
			if s == "" {
				return nil
			}
			return []string{s}
		}
		_, err = c.policy(permission.ModeAsk, list(row.allow), list(row.deny), known)
		checkError(t, row.file+row.allow+row.deny, err, row.want)
	}
}

// checkError wants an error that begins with this text, of a usage mistake; none
// if it is empty.
func checkError(t *testing.T, name string, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err == nil:
	case err == nil:
		t.Errorf("%s: no error, want %s", name, want)
	case want == "", !strings.HasPrefix(err.Error(), want):
		t.Errorf("%s:\n got %v\nwant %s", name, err, want)
	case codeOf(err) != exitUsage:
		t.Errorf("%s: status %d", name, codeOf(err))
	}
}

func TestConfigTools(t *testing.T) {
	c, err := readConfig([]configFile{user(`
[[tool]]
name = "weather"
description = "Weather for a city"
command = ["./weather.sh", "--json"]
class = "read"
volatile = true
timeout = "20s"
schema = '{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}'

[[tool]]
name = "deploy"
description = "Put it online"
command = ["deploy"]
[tool.schema]
type = "object"
required = ["to"]
[tool.schema.properties.to]
type = "string"
maxLength = 20
`)}, vars())
	if err != nil {
		t.Fatal(err)
	}
	if len(c.declared) != 2 {
		t.Fatalf("%d tools", len(c.declared))
	}
	w, d := c.declared[0], c.declared[1]
	dir := filepath.Dir(userFile)
	if w.Name != "weather" || !slices.Equal(w.Command, []string{filepath.Join(dir, "weather.sh"), "--json"}) || w.Class != tools.Read ||
		!w.Volatile || w.Timeout != 20*time.Second || !strings.Contains(string(w.Schema), `"city"`) || w.from != userFile+":2" {
		t.Errorf("%+v", w)
	}
	if d.Name != "deploy" || !slices.Equal(d.Command, []string{"deploy"}) || d.Class != tools.Exec || d.Volatile || d.Timeout != 0 ||
		string(d.Schema) != `{"properties":{"to":{"maxLength":20,"type":"string"}},"required":["to"],"type":"object"}` || d.from != userFile+":11" {
		t.Errorf("%+v %s", d, d.Schema)
	}
}

// What is wrong, where, and what to do.
func TestConfigErrors(t *testing.T) {
	const tool = "[[tool]]\nname = 'x'\ndescription = 'y'\ncommand = ['z']\n"
	for _, row := range []struct{ text, want string }{
		{"modle = 'x'", `:1: unknown key "modle"; did you mean model?`},
		{"\n\nnumctx = 1", `:3: unknown key "numctx"; did you mean num_ctx?`},
		{"colour = 'x'", `:1: unknown key "colour"; there are approve, dialect, host, instructions`},
		{"# model = 'x'\nmodel = 1", `:2: model: want a text`},
		{"num_ctx = '8k'", `:1: num_ctx: want a whole number`},
		{"num_ctx = 1.5", `:1: num_ctx: want a whole number`},
		{"temperature = 'hot'", `:1: temperature: want a number`},
		{"tools = 'read_file'", `:1: tools: want a list of texts, such as ["a", "b"]`},
		{"tools = ['x', 1]", `:1: tools: want a list of texts`},
		{"timeout = true", `:1: timeout: want a time such as "90s" or "5m"`},
		{"think = [1]", `:1: think: want a text, true or false, or a number`},
		{"model =", `:1: `},
		{"x = 1\nx = 2", `:2: `},
		{"[permission]\nraed = 'ask'", `:2: unknown key "permission.raed"; did you mean read?`},
		{"[permission]\nnet = 'ask'", `:2: unknown key "permission.net"; there are read, write, exec, rules`},
		{"[permission]\nread = 'yes'", `:2: permission.read: want "allow", "ask" or "deny"`},
		{"[permission]\nrules = 'x'", `:2: permission.rules: want a list of texts`},
		{"[permission]\nrules = [\n'allow exec ls *',\n'alow exec ls',\n]", `:4: rule "alow exec ls": it begins with "alow", want allow, ask or deny`},
		{"[permission]\nrules = ['deny .git']", `:2: rule ".git": ".git" is neither read, write nor exec`},
		{"permission = 1", `:1: permission: want a table, [permission]`},
		{"[models.x]\nhost = 'y'", `:2: unknown key "models.x.host"; there are dialect, keep_alive`},
		{"[models.x]\nnumctx = 1", `:2: unknown key "models.x.numctx"; did you mean num_ctx?`},
		{"[models.x]\nnum_ctx = 'a'", `:2: models.x.num_ctx: want a whole number`},
		{"[models.'[']\nseed = 1", `:1: models.[: the name is no glob`},
		{"[models]\nx = 1", `:2: models.x: want a table`},
		{"[tool]\nname = 'x'", `:1: tool: want a table for each, [[tool]]`},
		{tool + "comand = ['x']", `:5: unknown key "tool[0].comand"; did you mean command?`},
		{tool + tool, `:5: tool x: there is one of that name at ` + userFile + ":1"},
		{tool + "class = 'net'", `:5: tool[0].class: want "read", "write" or "exec"`},
		{tool + "schema = '['", `:5: tool[0].schema: want a JSON Schema`},
		{tool + "schema = 1", `:5: tool[0].schema: want a JSON Schema`},
		{tool + "volatile = 1", `:5: tool[0].volatile: want true or false`},
		{tool + "timeout = 'soon'", `:5: tool[0].timeout: want a time`},
		{"[[tool]]\ncommand = 'x'", `:2: tool[0].command: want a list of texts`},
		{"[[tool]]\ncommand = ['x']", `:1: [[tool]]: it has no name`},
		{"[[tool]]\nname = 'x'", `:1: tool x: it has no command`},
		{"[[tool]]\nname = 'x'\ncommand = ['y']", `:1: tool x: it has no description`},
		{"", ""},
		{"\ufeff# a mark", ""},
	} {
		_, err := readConfig([]configFile{user(row.text)}, vars())
		if row.want != "" {
			row.want = userFile + row.want
		}
		checkError(t, row.text, err, row.want)
	}
}

// Values that a flag refuses are refused where they stand.
func TestConfigValueErrors(t *testing.T) {
	for _, row := range []struct{ text, env, want string }{
		{"approve = 'al'", "", userFile + `:1: approve: "al": want ask, never, edits or all; did you mean all?`},
		{"loop_guard = 'on'", "", userFile + `:1: loop_guard: "on": want stop, warn or off`},
		{"timeout = 'soon'", "", userFile + `:1: timeout: "soon": want a number and a unit`},
		{"", "many", `LOCALAGENT_NUM_CTX: num_ctx: "many": must be an integer`},
	} {
		c, err := readConfig([]configFile{user(row.text)}, vars("LOCALAGENT_NUM_CTX", row.env))
		if err != nil {
			t.Fatal(err)
		}
		set, _ := runCommand().flags(&options{})
		checkError(t, row.text, c.apply(set), row.want)
	}
}

// A project's file comes with the folder: it may make things stricter, and no
// more, unless the user names it.
func TestConfigProject(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"host = 'http://far'", ":1: host: not in a project's file: it would send what you ask"},
		{"approve = 'all'", `:1: approve: not in a project's file: it may only say "never"`},
		{"approve = 'ask'", `:1: approve: not in a project's file: it may only say "never"`},
		{"instructions = '/etc/passwd'", ":1: instructions: not in a project's file: it may only name a file below its folder"},
		{"instructions = '../x'", ":1: instructions: not in a project's file: it may only name a file below its folder"},
		{"model = 'replay:x.jsonl'", ":1: model: not in a project's file: recorded replies are calls that somebody else chose"},
		{"[models.x]\nsystem = 'y'", ""},
		{"[permission]\nexec = 'allow'", `:2: permission.exec: not in a project's file: it may only say "deny"`},
		{"[permission]\nread = 'ask'", `:2: permission.read: not in a project's file: it may only say "deny"`},
		{"[permission]\nrules = ['deny exec rm *', 'allow exec ls']", `:2: the rule "allow exec ls": not in a project's file: it may only deny`},
		{"[permission]\nrules = ['ask exec ls']", `:2: the rule "ask exec ls": not in a project's file: it may only deny`},
		{"[[tool]]\nname = 'x'\ndescription = 'y'\ncommand = ['./z']", ":1: [[tool]]: not in a project's file: it would run programs of a folder that you only cloned"},
		{"model = 'x'\nsystem = 'y'\ninstructions = 'a/b.md'\ntools = ['read_file']\napprove = 'never'\nnum_ctx = 1\n[models.x]\nseed = 1\n[permission]\nexec = 'deny'\nrules = ['deny read x']", ""},
	} {
		_, err := readConfig([]configFile{project(row.text)}, vars())
		want := row.want
		if want != "" {
			want = workFile + want
		}
		checkError(t, row.text, err, want)
		if err != nil && !strings.Contains(err.Error(), "--config") {
			t.Errorf("%s: it does not say what to do: %v", row.text, err)
		}
		named := configFile{path: workFile, text: row.text}
		if _, err := readConfig([]configFile{named}, vars()); err != nil {
			t.Errorf("%s: named by the user, but %v", row.text, err)
		}
	}
}

// A project's file does not reach out of its folder by way of a link, and cannot
// be without end.
func TestConfigProjectLinks(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "p")
	for name, text := range map[string]string{
		"secret": "x", "p/rules.md": "y", "p/.localagent.toml": "instructions = 'link'", "p/deep/big.toml": strings.Repeat("#", maxConfig+1),
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	e := &env{getenv: vars()}
	for _, row := range []struct{ to, want string }{
		{"rules.md", ""},
		{"none", ""}, // said when it is read
		{"../secret", ":1: instructions: not in a project's file: it may only name a file below its folder"},
		{filepath.Join(dir, "secret"), ":1: instructions: not in a project's file: it may only name a file below its folder"},
	} {
		link := filepath.Join(in, "link")
		_ = os.Remove(link)
		if err := os.Symlink(row.to, link); err != nil {
			t.Skip(err)
		}
		if row.want != "" {
			row.want = filepath.Join(in, projectFile) + row.want
		}
		_, err := e.loadConfig("", in)
		checkError(t, row.to, err, row.want)
	}
	_, err := e.loadConfig(filepath.Join(in, "deep/big.toml"), in)
	checkError(t, "a large file", err, "config: "+filepath.Join(in, "deep/big.toml")+" is larger than 1.0 MiB")
}

// Which files are read.
func TestLoadConfig(t *testing.T) {
	home := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(home, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	own := write(".config/localagent/config.toml", "seed = 1")
	xdg := write("xdg/localagent/config.toml", "seed = 2")
	proj := write("p/.localagent.toml", "num_ctx = 3")
	deep := write("p/a/b/notes.txt", "")
	other := write("other.toml", "seed = 5")
	cwd := filepath.Dir(deep)
	for _, row := range []struct {
		name  string
		env   []string
		named string
		cwd   string
		want  []string
	}{
		{"the user's and the project's", []string{"HOME", home}, "", cwd, []string{own, proj}},
		{"only the user's", []string{"HOME", home}, "", home, []string{own}},
		{"XDG", []string{"HOME", home, "XDG_CONFIG_HOME", filepath.Join(home, "xdg")}, "", home, []string{xdg}},
		{"XDG that is not absolute", []string{"HOME", home, "XDG_CONFIG_HOME", "xdg"}, "", home, []string{own}},
		{"no home", nil, "", cwd, []string{proj}},
		{"--config in place of both", []string{"HOME", home}, other, cwd, []string{other}},
		{"LOCALAGENT_CONFIG", []string{"HOME", home, "LOCALAGENT_CONFIG", other}, "", cwd, []string{other}},
		{"--config before it", []string{"HOME", home, "LOCALAGENT_CONFIG", other}, xdg, cwd, []string{xdg}},
	} {
		e := &env{getenv: vars(row.env...)}
		c, err := e.loadConfig(row.named, row.cwd)
		if err != nil {
			t.Errorf("%s: %v", row.name, err)
			continue
		}
		if d := cmp.Diff(row.want, c.files); d != "" {
			t.Errorf("%s: %s", row.name, d)
		}
	}
	e := &env{getenv: vars()}
	_, err := e.loadConfig(filepath.Join(home, "none.toml"), cwd)
	checkError(t, "a file that is not there", err, "config: open "+filepath.Join(home, "none.toml"))
}
