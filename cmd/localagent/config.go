package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

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
		text, err := readLimited(f.path, maxConfig)
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

// maxConfig is the size of the largest config file, in bytes.
const maxConfig = 1 << 20

// readLimited reads a file that must not be larger than that.
func readLimited(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = fmt.Errorf("%s is larger than %s", path, bytesText(limit))
	}
	return text, err
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
				return nil, usageErrorf("%s: %s", flag.name, plainText(err))
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
// mistake: a command without the word exec, or a slip of the keys. In a config a
// rule about a tool that only another config declares does no harm; a flag is
// for this run.
func checkTool(r permission.Rule, known []string) error {
	if r.Tool == "" || slices.Contains(known, r.Tool) {
		return nil
	}
	hint := didYouMean("", r.Tool, slices.Concat([]string{"read", "write", "exec"}, known))
	flag := strings.HasPrefix(r.Source, "--")
	if hint == "" && (r.Pattern != "" || flag) {
		meant := permission.Rule{Verdict: r.Verdict, Class: tools.Exec, Pattern: r.Tool + " " + cmp.Or(r.Pattern, "*")}
		hint = fmt.Sprintf("; did you mean %q?", meant.String())
	}
	if hint == "" {
		return nil
	}
	return usageErrorf("%s: the rule %q names the tool %s, which does not exist%s", r.Source, r.String(), r.Tool, hint)
}
