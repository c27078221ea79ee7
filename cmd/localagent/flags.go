package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// options are the values of all flags. A command registers the groups it uses;
// the rest stays zero.
type options struct {
	files        []string
	system       string
	systemFile   string
	instructions string
	schema       string
	interactive  bool
	dryRun       bool

	model        string
	host         string
	dialect      string
	numCtx       int
	temperature  float64
	seed         int
	modelOptions []string
	keepAlive    string
	think        string

	tools       []string
	cwd         string
	toolTimeout time.Duration
	approve     string
	allow, deny []string
	yes         bool

	maxSteps  int
	maxTokens int
	timeout   time.Duration
	guard     string

	format       string
	json         bool
	noStream     bool
	showThinking bool
	quiet        bool
	verbose      int

	resume    bool
	session   string
	noSession bool

	config  string
	color   string
	version bool
	help    bool

	parse    parseOptions
	sessions sessionsOptions
	probe    bool
	man      bool

	set *pflag.FlagSet // says which flags were given
	cfg *config        // nil: the command reads none
}

// A group is flags that belong together, in the help and in the commands.
type group struct {
	title string
	add   func(f *pflag.FlagSet, o *options)
}

// A titledSet is a group's flags, registered.
type titledSet struct {
	title string
	*pflag.FlagSet
}

var (
	promptGroup  = group{"Prompt", addPromptFlags}
	runGroup     = group{"Prompt", addRunFlags}
	modelGroup   = group{"Model", addModelFlags}
	toolGroup    = group{"Tools", addToolFlags}
	limitGroup   = group{"Limits", addLimitFlags}
	outputGroup  = group{"Output", addOutputFlags}
	sessionGroup = group{"Session", addSessionFlags}
	otherGroup   = group{"Other", addOtherFlags}
)

func addPromptFlags(f *pflag.FlagSet, o *options) {
	f.StringArrayVarP(&o.files, "file", "f", nil, "give the text of `FILE` before the prompt; may be repeated")
	f.StringVarP(&o.system, "system", "s", "", "`TEXT` the model is told first, before the tools")
	f.StringVar(&o.systemFile, "system-file", "", "the same from `FILE`")
	f.StringVar(&o.instructions, "instructions", "", "rules of a project, from `FILE`, told after --system")
	f.StringVar(&o.schema, "schema", "", "`FILE` with a JSON Schema that the answer must fit")
}

func addRunFlags(f *pflag.FlagSet, o *options) {
	addPromptFlags(f, o)
	f.BoolVarP(&o.interactive, "interactive", "i", false, "stay and chat after the first answer")
	f.BoolVar(&o.dryRun, "dry-run", false, "print the messages that the model would get, and ask nothing")
}

func addModelFlags(f *pflag.FlagSet, o *options) {
	f.StringVarP(&o.model, "model", "m", "", "`NAME` of the model, or replay:FILE to play recorded replies, also those of a session's log")
	f.StringVarP(&o.host, "host", "H", "", "`URL` of the Ollama server (default OLLAMA_HOST, else this machine)")
	o.dialect = "auto"
	f.Var(&choice{to: &o.dialect, words: dialectNames}, "dialect", "`WAY` in which calls are asked for: auto, json, hermes, pythonic, react")
	f.IntVar(&o.numCtx, "num-ctx", 0, "context window to ask for, in `TOKENS`")
	f.Float64Var(&o.temperature, "temperature", 0, "how freely the model chooses, a `NUMBER` from 0")
	f.IntVar(&o.seed, "seed", 0, "`NUMBER` that the model's choices start from")
	f.StringArrayVar(&o.modelOptions, "option", nil, "any other option of the server, as `KEY=VALUE`; may be repeated")
	f.StringVar(&o.keepAlive, "keep-alive", "", "`TIME` the server keeps the model loaded, -1 for ever (default 30m)")
	f.Var(&choice{to: &o.think, words: []string{"true", "false", "low", "medium", "high", "max"}}, "think",
		"let the model think first, as far as it can: `HOW` is true, false, low, medium, high or max")
	f.Lookup("think").NoOptDefVal = "true"
}

func addToolFlags(f *pflag.FlagSet, o *options) {
	f.StringSliceVarP(&o.tools, "tool", "T", nil, "tools to offer, `NAMES` with commas; all, none, default (the five that only look)")
	addCwdFlag(f, o)
	f.Var((*duration)(&o.toolTimeout), "tool-timeout", "`TIME` for a tool that has no limit of its own (default 1m0s)")
	addPermissionFlags(f, o)
}

func addCwdFlag(f *pflag.FlagSet, o *options) {
	f.StringVarP(&o.cwd, "cwd", "C", "", "work in `DIR`; file tools see nothing outside it (default .)")
}

func addPermissionFlags(f *pflag.FlagSet, o *options) {
	o.approve = "ask"
	f.Var(&choice{to: &o.approve, words: []string{"ask", "never", "edits", "all"}}, "approve",
		"`WHICH` calls that no rule names may run: ask, never (only reads), edits, all")
	f.BoolVarP(&o.yes, "yes", "y", false, "the same as --approve all, which no other --approve may stand beside")
	f.StringArrayVar(&o.allow, "allow", nil, "allow what fits `RULE`, such as \"exec git log *\"; may be repeated")
	f.StringArrayVar(&o.deny, "deny", nil, "never run what fits `RULE`; may be repeated")
}

func addLimitFlags(f *pflag.FlagSet, o *options) {
	f.IntVar(&o.maxSteps, "max-steps", 20, "`NUMBER` of requests to the model, retries apart; -1 for no limit")
	f.IntVar(&o.maxTokens, "max-tokens", 0, "`NUMBER` of tokens of the whole run, prompts and replies")
	f.Var((*duration)(&o.timeout), "timeout", "`TIME` for the whole run, such as 90s or 5m; it also bounds the wait for stdin and files")
	o.guard = "warn"
	f.Var(&choice{to: &o.guard, words: []string{"stop", "warn", "off"}}, "loop-guard",
		"`WHAT` to do when a step repeats: stop, warn first, off")
}

func addOutputFlags(f *pflag.FlagSet, o *options) {
	o.format = formatText
	f.VarP(&choice{to: &o.format, words: []string{formatText, formatJSON, formatStream}, alias: map[string]string{"jsonl": formatStream}},
		"output-format", "o", "`FORMAT` of stdout: text, json, stream-json")
	f.BoolVar(&o.json, "json", false, "the same as -o json: one object")
	f.BoolVar(&o.noStream, "no-stream", false, "print the answer when it is complete, on a terminal too")
	f.BoolVar(&o.showThinking, "show-thinking", false, "show on stderr what the model thinks")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "say nothing on stderr but errors, and what was cut off or not run")
	f.CountVarP(&o.verbose, "verbose", "v", "say more: repairs, steps, tokens; -vv also the raw replies")
}

func addSessionFlags(f *pflag.FlagSet, o *options) {
	f.BoolVarP(&o.resume, "continue", "c", false, "go on with the latest session")
	f.StringVar(&o.session, "session", "", "go on with the session `ID`, or with a file")
	f.BoolVar(&o.noSession, "no-session", false, "record nothing, and keep no long output of tools")
}

func addOtherFlags(f *pflag.FlagSet, o *options) {
	f.StringVar(&o.config, "config", "", "read `FILE` in place of the user's and the project's config")
	o.color = "auto"
	f.Var(&choice{to: &o.color, words: []string{"auto", "always", "never"}}, "color", "`WHEN` to use colour: auto, always, never")
	f.BoolVar(&o.version, "version", false, "print the version")
	f.BoolVarP(&o.help, "help", "h", false, "print this help")
}

// The formats of stdout.
const (
	formatText   = "text"
	formatJSON   = "json"
	formatStream = "stream-json"
)

// aliases are other names that users type for a flag.
var aliases = map[string]string{
	"max-turns": "max-steps",
	"keepalive": "keep-alive",
	"colour":    "color",
}

func normalize(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	if to, ok := aliases[name]; ok {
		name = to
	}
	return pflag.NormalizedName(name)
}

func newFlagSet(name string) *pflag.FlagSet {
	f := pflag.NewFlagSet(name, pflag.ContinueOnError)
	f.SortFlags = false
	f.Usage = func() {}
	f.SetNormalizeFunc(normalize)
	return f
}

// flags registers the flags of a command.
func (c *command) flags(o *options) (*pflag.FlagSet, []titledSet) {
	all := newFlagSet(c.name)
	var sets []titledSet
	for _, g := range append(slices.Clip(c.groups), otherGroup) {
		f := newFlagSet(g.title)
		g.add(f, o)
		all.AddFlagSet(f)
		sets = append(sets, titledSet{g.title, f})
	}
	return all, sets
}

// anyFlags are the flags of all commands: enough to tell a flag's value from
// the command's name. The same name takes a value in all of them or in none.
func anyFlags() *pflag.FlagSet {
	all := newFlagSet("")
	for _, c := range commands() {
		set, _ := c.flags(&options{})
		all.AddFlagSet(set)
	}
	return all
}

// takesNext says whether the argument after arg is its value.
func takesNext(f *pflag.FlagSet, arg string) bool {
	if name, long := strings.CutPrefix(arg, "--"); long {
		flag := f.Lookup(name) // not found with "=value" behind it
		return flag != nil && flag.NoOptDefVal == ""
	}
	for i := 1; i < len(arg); i++ {
		flag := f.ShorthandLookup(arg[i : i+1])
		if flag == nil {
			return false
		}
		if flag.NoOptDefVal == "" {
			return i == len(arg)-1
		}
	}
	return false
}

// printsResult says whether a command with these flags prints the result of a
// run, and with --json one even when it fails. Others have JSON of their own.
func printsResult(set *pflag.FlagSet) bool { return set.Lookup("output-format") != nil }

// settle adds what the config says to the flags, checks what single flags
// cannot, and applies what holds for every command.
func (o *options) settle(e *env, c *command, set *pflag.FlagSet) error {
	o.set = set
	if o.json && printsResult(set) {
		if set.Changed("output-format") && o.format != formatJSON {
			return usageErrorf("--json and -o %s exclude each other", o.format)
		}
		o.format = formatJSON
	}
	if o.yes && set.Changed("approve") && o.approve != "all" {
		return usageErrorf("-y and --approve %s exclude each other: -y is --approve all", o.approve)
	}
	if c.configured {
		var err error
		if o.cfg, err = e.loadConfig(o.config, o.cwd); err != nil {
			return err
		}
		if err := o.cfg.apply(set); err != nil {
			return err
		}
	}
	if err := o.checkValues(); err != nil {
		return err
	}
	e.out.setColor(o.color)
	e.err.setColor(o.color)
	return nil
}

// checkValues refuses what cannot be meant.
func (o *options) checkValues() error {
	switch {
	case o.changed("num-ctx") && o.numCtx < 1:
		return usageErrorf("%s: %d is no number of tokens", o.place("num-ctx"), o.numCtx)
	case o.changed("max-tokens") && o.maxTokens < 1:
		return usageErrorf("%s: %d is no number of tokens", o.place("max-tokens"), o.maxTokens)
	case o.changed("max-steps") && o.maxSteps < 1 && o.maxSteps != -1:
		return usageErrorf("%s: %d is no number of requests, -1 is no limit", o.place("max-steps"), o.maxSteps)
	case o.changed("temperature") && !(o.temperature >= 0 && o.temperature <= math.MaxFloat64):
		return usageErrorf("%s: %v is no number from 0 on", o.place("temperature"), o.temperature)
	case o.keepAlive != "" && !isKeepAlive(o.keepAlive):
		return usageErrorf("%s: %q is no TIME: want a number and a unit, such as 30m, or -1", o.place("keep-alive"), o.keepAlive)
	}
	_, err := readModelOptions(o.modelOptions)
	return err
}

// place is where the value of a flag was given.
func (o *options) place(flag string) string {
	if o.cfg != nil && o.cfg.sources[flag] != "flag" {
		return o.cfg.sourceOf(flag) + ": " + strings.ReplaceAll(flag, "-", "_")
	}
	return "flag --" + flag
}

// applyModel adds what the config says of the model.
func (o *options) applyModel() error {
	if err := o.cfg.applyModel(o.set, o.model); err != nil {
		return err
	}
	return o.checkValues()
}

// isKeepAlive says whether Ollama would read s as a time: with a unit, or in
// seconds.
func isKeepAlive(s string) bool {
	_, err := strconv.Atoi(s)
	if err != nil {
		_, err = time.ParseDuration(s)
	}
	return err == nil
}

// changed says whether the flag was given, here or in the config.
func (o *options) changed(name string) bool {
	return o.set != nil && o.set.Lookup(name) != nil && o.set.Changed(name)
}

// A choice is a flag whose value is one of a few words.
type choice struct {
	to    *string
	words []string
	alias map[string]string
}

func (c *choice) String() string { return *c.to }
func (c *choice) Type() string   { return "word" }

func (c *choice) Set(s string) error {
	if to, ok := c.alias[s]; ok {
		s = to
	}
	if !slices.Contains(c.words, s) {
		return fmt.Errorf("want %s%s", orList(c.words), didYouMean("", s, c.words))
	}
	*c.to = s
	return nil
}

// orList is "a, b or c".
func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// A duration is a flag of time. A number without a unit means seconds.
type duration time.Duration

func (d *duration) String() string {
	if *d == 0 {
		return ""
	}
	return time.Duration(*d).String()
}

func (d *duration) Type() string { return "duration" }

func (d *duration) Set(s string) error {
	if sec, err := strconv.ParseFloat(s, 64); err == nil {
		s = strconv.FormatFloat(sec, 'f', -1, 64) + "s"
	}
	v, err := time.ParseDuration(s)
	if err != nil || v < 0 {
		return fmt.Errorf("want a number and a unit, such as 30s, 5m or 1h30m")
	}
	*d = duration(v)
	return nil
}
