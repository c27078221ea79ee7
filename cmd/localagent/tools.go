package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/tools"
	"github.com/localagent/localagent/tools/builtin"
	commandtool "github.com/localagent/localagent/tools/command"
	"github.com/localagent/localagent/tools/permission"
	"github.com/spf13/pflag"
)

func toolsCommand() *command {
	return &command{
		name:    "tools",
		args:    "[NAME | call NAME JSON]",
		summary: "list the tools, show one, or call one by hand",
		about: "Without a name: every tool there is, those that a run has by default marked with *. With a name: what the model is told of it, and its schema.\n" +
			"`tools call` runs one under the same permissions as in a run. JSON is an object, or - to read it from stdin.",
		examples: []example{
			{`localagent tools`, "what there is"},
			{`localagent tools read_file`, "one of them"},
			{`localagent tools call calc '{"expr":"2^64"}'`, "run one"},
		},
		groups:     []group{{"Tools", addToolsCommandFlags}},
		run:        runTools,
		configured: true,
		graceful:   true,
	}
}

func addToolsCommandFlags(f *pflag.FlagSet, o *options) {
	addCwdFlag(f, o)
	addPermissionFlags(f, o)
	f.BoolVar(&o.json, "json", false, "print JSON")
	f.Var((*duration)(&o.timeout), "timeout", "`TIME` for a call, such as 90s or 5m")
}

func runTools(ctx context.Context, e *env, o *options, args []string) error {
	root, err := openRoot(o)
	if err != nil {
		return err
	}
	defer root.Close()
	if len(args) > 0 && args[0] == "call" {
		return callTool(ctx, e, o, root, args[1:])
	}
	all, err := e.allTools(o, root, "", nil)
	if err != nil {
		return err
	}
	switch {
	case len(args) == 0:
		return listTools(e, o, all)
	case len(args) > 1:
		return usageErrorf("tools takes one name; `tools call NAME JSON` runs a tool")
	}
	t, err := findTool(all, args[0])
	if err != nil {
		return err
	}
	return showTool(e, o, t)
}

func findTool(all []*tools.Tool, name string) (*tools.Tool, error) {
	i := slices.IndexFunc(all, func(t *tools.Tool) bool { return t.Name == name })
	if i < 0 {
		return nil, usageErrorf("no tool is called %q%s", name, didYouMean("", name, toolNames(all)))
	}
	return all[i], nil
}

// A toolInfo is a tool as --json shows it.
type toolInfo struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Class       string          `json:"class"`
	Default     bool            `json:"default"`
	Parameters  json.RawMessage `json:"parameters"`
}

func infoOf(o *options, t *tools.Tool) toolInfo {
	return toolInfo{
		Name: t.Name, Description: t.Description, Class: t.Class.String(),
		Default: o.isDefault(t.Name), Parameters: t.Parameters,
	}
}

// isDefault says whether a run has the tool unless told otherwise: the stock
// tools that only look, and whatever the user's config declares.
func (o *options) isDefault(name string) bool {
	return slices.Contains(builtin.Default(), name) ||
		o.cfg != nil && slices.ContainsFunc(o.cfg.declared, func(d declaredTool) bool { return d.Name == name })
}

func listTools(e *env, o *options, all []*tools.Tool) error {
	if o.json {
		infos := []toolInfo{}
		for _, t := range all {
			infos = append(infos, infoOf(o, t))
		}
		return printJSON(e.out, infos)
	}
	printTools(e.out, all, o.isDefault)
	return nil
}

// printTools prints a line for each tool, with a star before some.
func printTools(s *screen, all []*tools.Tool, starred func(name string) bool) {
	wide := 0
	for _, t := range all {
		wide = max(wide, textWidth(t.Name))
	}
	for _, t := range all {
		mark := "  "
		if starred(t.Name) {
			mark = "* "
		}
		s.row(firstLine(t.Description), mark, span{styleName, fmt.Sprintf("%-*s", wide, t.Name)}, fmt.Sprintf("  %-5s  ", t.Class))
	}
}

func showTool(e *env, o *options, t *tools.Tool) error {
	if o.json {
		return printJSON(e.out, infoOf(o, t))
	}
	var schema bytes.Buffer
	if len(t.Parameters) == 0 {
		schema.WriteString("It has no schema: its arguments are not checked.")
	} else if err := json.Indent(&schema, t.Parameters, "", "  "); err != nil {
		return fmt.Errorf("schema of %s: %w", t.Name, err)
	}
	e.out.put(span{styleName, t.Name}, " ("+t.Class.String()+")\n\n", strings.TrimSpace(t.Description), "\n\n", schema.String(), "\n")
	return nil
}

// printJSON writes v as one line of JSON.
func printJSON(s *screen, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	s.jsonLines(b.Bytes())
	return nil
}

// callTool runs one tool and prints its result.
func callTool(ctx context.Context, e *env, o *options, root *os.Root, args []string) error {
	if len(args) != 2 {
		return usageErrorf(`tools call wants a name and a JSON object: tools call calc '{"expr":"1+1"}'`)
	}
	a, err := e.approver(o, root)
	if err != nil {
		return err
	}
	all, err := e.allTools(o, root, "", a.session.Hides)
	if err != nil {
		return err
	}
	t, err := findTool(all, args[0])
	if err != nil {
		return err
	}
	raw, err := callArgs(e, args[1])
	if err != nil {
		return err
	}
	set := tools.NewSet(all...)
	call := tools.Call{ID: "1", Name: t.Name, Args: raw}
	checked, _, bad := set.Check(call)
	if bad != nil {
		return usageErrorf("%s", bad.Text)
	}
	ctx, cancel := withTimeout(ctx, o)
	defer cancel()
	if err := permitCall(ctx, a, t, checked); err != nil {
		return err
	}
	r := set.Do(ctx, call)
	if err := e.showResult(o, r); err != nil {
		return err
	}
	return callStatus(ctx, r)
}

// showResult prints the result of a call by hand.
func (e *env) showResult(o *options, r tools.Result) error {
	text := strings.TrimRight(r.Text, "\n")
	switch {
	case o.json:
		return printJSON(e.out, newToolOutcome(r))
	case r.Status == tools.OK:
		e.out.put(text, "\n")
	default:
		e.err.put(span{styleError, "localagent: "}, r.Name+": "+string(r.Status)+": "+text, "\n")
	}
	return nil
}

// callArgs are the arguments of a call by hand.
func callArgs(e *env, arg string) (json.RawMessage, error) {
	if arg == "-" {
		b, err := io.ReadAll(io.LimitReader(e.stdin, maxInput))
		if err != nil {
			return nil, err
		}
		arg = string(b)
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(arg), &object); err != nil {
		return nil, usageErrorf("the arguments are no JSON object: %v", err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(arg)); err != nil {
		return nil, err
	}
	return compact.Bytes(), nil
}

// A toolOutcome is the result of a call by hand as --json shows it.
type toolOutcome struct {
	Name       string       `json:"name"`
	Status     tools.Status `json:"status"`
	Output     string       `json:"output"`
	Truncated  bool         `json:"truncated"`
	ExitCode   *int         `json:"exit_code,omitempty"`
	Diff       string       `json:"diff,omitempty"`
	DurationMS int64        `json:"duration_ms"`
}

func newToolOutcome(r tools.Result) toolOutcome {
	return toolOutcome{r.Name, r.Status, r.Text, r.Truncated, r.ExitCode, r.Diff, r.Elapsed.Milliseconds()}
}

// callStatus is the exit of a call by hand.
func callStatus(ctx context.Context, r tools.Result) error {
	switch r.Status {
	case tools.OK:
		return nil
	case tools.Denied, tools.Refused:
		return exit(exitDenied)
	case tools.TimedOut:
		return exit(exitTimeout)
	case tools.InvalidArgs, tools.UnknownTool:
		return exit(exitUsage)
	case tools.Aborted:
		if cause := context.Cause(ctx); cause != nil {
			return exit(codeOf(cause))
		}
	}
	return exit(exitInternal)
}

// permitCall asks whether a call by hand may run, as a run would.
func permitCall(ctx context.Context, a *approver, t *tools.Tool, c tools.Call) error {
	r := loop.PermitRequest{Call: loop.Call{ID: c.ID, Name: c.Name, Args: c.Args}, Tool: t}
	p := a.permit(ctx, r)
	if p.Verdict == loop.Allowed {
		return nil
	}
	why := cmp.Or(p.Reason, "you said no")
	if p.Verdict == loop.Refused {
		why += "; " + cure(a.decide(r))
	}
	return &statusError{exitDenied, fmt.Errorf("%s was not run: %s", c.Name, why)}
}

// approver decides about calls as the flags and the config say.
func (e *env) approver(o *options, root *os.Root) (*approver, error) {
	all, err := e.allTools(o, root, "", nil)
	if err != nil {
		return nil, err
	}
	mode := permission.Mode(o.approve)
	if o.yes {
		mode = permission.ModeAll
	}
	p, err := o.cfg.policy(mode, o.allow, o.deny, toolNames(all))
	if err != nil {
		return nil, err
	}
	p.Dir = folder(root)
	p.Guarded = e.ownFiles(o, folder(root))
	return newApprover(p, p.Dir, e.askTerminal), nil
}

// ownFiles are what decides about the runs to come: the config files, also one that
// is not there yet, the programs that they make tools of, and what the command
// remembers. A model is not to grant itself something there.
func (e *env) ownFiles(o *options, dir string) []string {
	own := []string{userConfig(e.getenv), e.sessionDir(), e.statePath("history.jsonl"), e.statePath("dialects.json")}
	if o.cfg != nil {
		own = append(own, o.cfg.files...)
		for _, d := range o.cfg.declared {
			own = append(own, d.files(cmp.Or(d.Dir, dir))...)
		}
	}
	var full []string
	for _, file := range own {
		if abs, err := filepath.Abs(file); err == nil && file != "" {
			full = append(full, abs)
		}
	}
	return full
}

// files are the words of the command that are files, taken from a folder: the
// program, or what an interpreter runs.
func (d *declaredTool) files(dir string) (files []string) {
	for _, word := range d.Command {
		if !filepath.IsAbs(word) {
			word = filepath.Join(dir, word)
		}
		if st, err := os.Stat(word); err == nil && st.Mode().IsRegular() {
			files = append(files, word)
		}
	}
	return files
}

// folder is the path of a root in full.
func folder(root *os.Root) string {
	if dir, err := filepath.Abs(root.Name()); err == nil {
		return dir
	}
	return root.Name()
}

// openRoot opens the folder that the file tools work in.
func openRoot(o *options) (*os.Root, error) {
	root, err := os.OpenRoot(cmp.Or(o.cwd, "."))
	if err != nil {
		return nil, &statusError{exitUsage, err}
	}
	return root, nil
}

// allTools is every tool there is: the stock ones and those that the config
// declares. hide is what walks leave out, nil when none of them is to be run.
func (e *env) allTools(o *options, root *os.Root, spillDir string, hide hiding) ([]*tools.Tool, error) {
	all := builtin.All(builtin.Options{Root: root, SpillDir: spillDir, Hide: hide, Kill: e.kill})
	if o.cfg == nil {
		return all, nil
	}
	for _, d := range o.cfg.declared {
		if slices.Contains(toolNames(all), d.Name) {
			return nil, usageErrorf("%s: tool %s: there is a stock tool of that name", d.from, d.Name)
		}
		d.Dir, d.Kill = cmp.Or(d.Dir, folder(root)), e.kill
		t, err := commandtool.New(d.Config)
		if err != nil {
			return nil, usageErrorf("%s: %s", d.from, plainText(err))
		}
		all = append(all, t)
	}
	return all, nil
}

// A hiding is [permission.Session.Hides].
type hiding func(tool, start string) func(path string) bool

// toolSet is the tools that the flags name.
func (e *env) toolSet(o *options, root *os.Root, spillDir string, hide hiding) (*tools.Set, error) {
	all, err := e.allTools(o, root, spillDir, hide)
	if err != nil {
		return nil, err
	}
	names, err := o.chooseTools(all)
	if err != nil {
		return nil, err
	}
	set := tools.NewSet()
	for _, t := range all {
		if slices.Contains(names, t.Name) {
			set.Add(t)
		}
	}
	return set, nil
}

func toolNames(ts []*tools.Tool) []string {
	var names []string
	for _, t := range ts {
		names = append(names, t.Name)
	}
	return names
}

// chooseTools are the names that words stand for: names of tools, "all", "none"
// and "default"; no words mean the default.
func (o *options) chooseTools(all []*tools.Tool) ([]string, error) {
	words := o.tools
	if len(words) == 0 {
		words = []string{"default"}
	}
	if len(words) > 1 && slices.Contains(words, "none") {
		return nil, usageErrorf("tools: none stands beside others: %s", strings.Join(words, ", "))
	}
	known := toolNames(all)
	var names []string
	for _, w := range words {
		switch {
		case w == "none":
		case w == "all":
			names = append(names, known...)
		case w == "default":
			names = append(names, slices.DeleteFunc(slices.Clone(known), func(n string) bool { return !o.isDefault(n) })...)
		case slices.Contains(known, w):
			names = append(names, w)
		default:
			hint := didYouMean("", w, append(slices.Clone(known), "all", "none", "default"))
			return nil, usageErrorf("no tool is called %q%s (localagent tools lists them)", w, hint)
		}
	}
	return names, nil
}
