package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/loop/ollama"
)

// A chatWord is a word that begins with / and what it does.
type chatWord struct {
	name, args, does string
	run              func(c *chat, ctx context.Context, arg string) error
}

var errLeave = errors.New("leave")

// chatTable is every word, in the order of /help.
func chatTable() []chatWord {
	return []chatWord{
		{"/help", "", "this list", (*chat).wordHelp},
		{"/tools", "[NAMES]", "show or choose the tools: names, all, none, default", (*chat).wordTools},
		{"/model", "[NAME]", "show or change the model", (*chat).wordModel},
		{"/system", "[TEXT]", "show or change what the model is told first; - for nothing", (*chat).wordSystem},
		{"/set", "[KEY VALUE]", "show or change num-ctx, temperature, seed, max-steps, timeout, think, loop-guard, verbose", (*chat).wordSet},
		{"/permissions", "", "what may run without asking", (*chat).wordPermissions},
		{"/context", "", "how full the context window is", (*chat).wordContext},
		{"/last", "", "the last reply, byte for byte, and how it was read", (*chat).wordLast},
		{"/retry", "", "ask the last prompt again", (*chat).wordRetry},
		{"/undo", "", "take the last turn back", (*chat).wordUndo},
		{"/save", "FILE", "write the conversation as Markdown", (*chat).wordSave},
		{"/clear", "", "begin a new conversation", (*chat).wordClear},
		{"/exit", "", "leave; also /quit, /bye, Ctrl-D", (*chat).wordExit},
	}
}

var chatAliases = map[string]string{"/quit": "/exit", "/bye": "/exit", "/?": "/help", "/new": "/clear"}

func chatWords() []string {
	var names []string
	for _, w := range chatTable() {
		names = append(names, w.name)
	}
	return names
}

// word does what a word asks for. Mistakes are told and the chat goes on.
func (c *chat) word(ctx context.Context, line string) (leave bool, err error) {
	name, arg, _ := strings.Cut(line, " ")
	if to, ok := chatAliases[name]; ok {
		name = to
	}
	table := chatTable()
	i := slices.IndexFunc(table, func(w chatWord) bool { return w.name == name })
	if i < 0 {
		c.e.note(fmt.Sprintf("there is no %s%s (/help lists what there is)", name, didYouMean("", name, chatWords())))
		return false, nil
	}
	err = table[i].run(c, ctx, strings.TrimSpace(arg))
	switch {
	case errors.Is(err, errLeave):
		return true, nil
	case err != nil && ctx.Err() == nil:
		c.e.note(plainText(err))
		return false, nil
	}
	return false, err
}

func (c *chat) wordExit(context.Context, string) error { return errLeave }

func (c *chat) wordHelp(context.Context, string) error {
	var b strings.Builder
	for _, w := range chatTable() {
		writeRow(&b, c.e.out.width(), 24, strings.TrimSpace(w.name+" "+w.args), w.does)
	}
	writeRow(&b, c.e.out.width(), 24, "Ctrl-C", "stop the turn; twice leaves")
	writeRow(&b, c.e.out.width(), 24, "Alt-Enter, \\ or \"\"\"", "write several lines")
	c.e.out.put(b.String())
	return nil
}

func (c *chat) wordTools(ctx context.Context, arg string) error {
	if arg != "" {
		old := c.o.tools
		c.o.tools = strings.FieldsFunc(arg, func(r rune) bool { return r == ',' || r == ' ' })
		if err := c.setAgent(ctx); err != nil {
			c.o.tools = old
			return err
		}
	}
	active := toolNames(c.agent.Tools.All())
	all, err := c.e.allTools(c.o, c.root, "", nil)
	if err != nil {
		return err
	}
	printTools(c.e.out, all, func(name string) bool { return slices.Contains(active, name) })
	return nil
}

func (c *chat) wordModel(ctx context.Context, arg string) error {
	if arg != "" {
		if err := c.setModel(ctx, arg); err != nil {
			return err
		}
	}
	c.e.out.put(c.header.Model, "\n")
	if arg != "" || isReplay(c.o.model) {
		return nil
	}
	models, err := (&ollama.Client{Host: c.o.host}).Models(ctx)
	if err != nil {
		return err
	}
	for _, m := range models {
		c.e.out.put("  ", m.Name, "\n")
	}
	return nil
}

// setModel changes the model, unless there is no such one.
func (c *chat) setModel(ctx context.Context, name string) error {
	old := c.o.model
	c.o.model = name
	err := c.setAgent(ctx)
	var missing *missingModel
	switch {
	case err != nil:
	case errors.As(c.trouble, &missing):
		err = missing
	case c.trouble != nil:
		c.e.note(plainText(c.trouble))
	}
	if err != nil {
		c.o.model = old
		return errors.Join(err, c.setAgent(ctx))
	}
	return nil
}

func (c *chat) wordSystem(ctx context.Context, arg string) error {
	switch arg {
	case "":
		c.e.out.put(strings.TrimSpace(c.agent.System+"\n"), "\n")
		return nil
	case "-":
		arg = ""
	}
	c.o.system, c.o.systemFile = unquoteLines(arg), ""
	return c.setAgent(ctx)
}

// A setting is an option that /set can change.
type setting struct {
	key string
	get func(o *options) string
	set func(o *options, value string) error
}

func settings() []setting {
	return []setting{
		flagSetting("num-ctx"),
		flagSetting("temperature"),
		flagSetting("seed"),
		flagSetting("max-steps"),
		flagSetting("timeout"),
		flagSetting("think"),
		flagSetting("loop-guard"),
		{"verbose", func(o *options) string { return strconv.Itoa(o.verbose) }, func(o *options, v string) error { return setInt(&o.verbose, v) }},
	}
}

func flagSetting(name string) setting { return setting{name, flagValue(name), setFlag(name)} }

func setInt(to *int, v string) error {
	n, err := strconv.Atoi(v)
	if err != nil || n < 0 {
		return fmt.Errorf("%q is no number", v)
	}
	*to = n
	return nil
}

func flagValue(name string) func(*options) string {
	return func(o *options) string {
		f := o.set.Lookup(name)
		if !f.Changed && (f.DefValue == "0" || f.DefValue == "") {
			return "(the default)"
		}
		return f.Value.String()
	}
}

func setFlag(name string) func(*options, string) error {
	return func(o *options, v string) error {
		f, from := o.set.Lookup(name), o.cfg.sources[name]
		old, changed := f.Value.String(), f.Changed
		if err := o.set.Set(name, v); err != nil {
			return flagError(nil, o.set, err)
		}
		o.cfg.sources[name] = "flag" // the config does not change it back
		err := o.checkValues()
		if err != nil {
			_ = f.Value.Set(old) // which it was
			f.Changed, o.cfg.sources[name] = changed, from
		}
		return err
	}
}

func (c *chat) wordSet(ctx context.Context, arg string) error {
	key, value, _ := strings.Cut(arg, " ")
	key = strings.ReplaceAll(key, "_", "-")
	var keys []string
	for _, s := range settings() {
		keys = append(keys, s.key)
		switch {
		case key == "" || key == s.key && value == "":
			c.e.out.put(fmt.Sprintf("%-12s %s\n", s.key, s.get(c.o)))
		case key == s.key:
			if err := s.set(c.o, strings.TrimSpace(value)); err != nil {
				return err
			}
			return c.setAgent(ctx)
		}
	}
	if key != "" && !slices.Contains(keys, key) {
		return fmt.Errorf("there is no setting %q%s", key, cmp.Or(didYouMean("", key, keys), " (/set lists them)"))
	}
	return nil
}

func (c *chat) wordContext(context.Context, string) error {
	s := c.agent.Monitor.State()
	if s.Window > 0 {
		text := fmt.Sprintf("%s of %s tokens, about %d %%", thousands(s.Tokens), thousands(s.Window), 100*s.Tokens/s.Window)
		c.e.out.put(c.e.out.fold(text, 0, "  "), "\n")
	}
	calls := 0
	for _, e := range c.talk.Entries {
		calls += len(e.Calls)
	}
	c.e.out.put(plural(len(c.talk.Entries), "message")+", "+plural(calls, "call"), "\n")
	if s.Compactions > 0 {
		c.e.out.put(fmt.Sprintf("%s, the last from %s to %s tokens\n", plural(s.Compactions, "compaction"), thousands(s.Before), thousands(s.After)))
	}
	if c.log != nil {
		c.e.out.put(c.e.out.fold("recorded in "+c.log.Path(), 0, "  "), "\n")
	}
	return nil
}

func (c *chat) wordLast(context.Context, string) error {
	if c.last.Raw == "" {
		return errors.New("there is no reply yet")
	}
	c.e.out.put(strings.TrimRight(c.last.Raw, "\n"), "\n", span{styleDim, strings.Repeat("─", 20)}, "\n")
	explain(c.e.out, c.last.Raw, &c.last.Reading)
	return nil
}

func (c *chat) wordRetry(ctx context.Context, _ string) error {
	t, ok := c.lastTurn()
	if !ok {
		return errors.New("there is nothing to ask again")
	}
	keep := t.at + 1
	if t.compacted {
		keep++
	}
	c.shorten(keep)
	c.shows(t.title)
	c.turn(ctx, loop.Prompt{}) // the task stands there, with its files as they were
	return nil
}

func (c *chat) wordUndo(context.Context, string) error {
	t, ok := c.lastTurn()
	switch {
	case !ok:
		return errors.New("there is nothing to take back")
	case t.compacted:
		return errors.New("the turn was summarized together with those before it; /clear begins anew")
	}
	c.shorten(t.at)
	c.e.note("taken back: " + oneLine(t.title, max(30, c.e.err.width()-30)))
	return nil
}

func (c *chat) wordClear(context.Context, string) error {
	c.e.note("a new conversation")
	return c.clear()
}

func (c *chat) wordSave(_ context.Context, file string) error {
	if file == "" {
		return errors.New("/save wants the name of a file")
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(asMarkdown(c.talk.Entries))
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	c.e.note("saved " + file)
	return nil
}

// asMarkdown is a conversation for people.
func asMarkdown(entries []loop.Entry) string {
	var b strings.Builder
	for _, e := range entries {
		switch {
		case e.Kind == loop.KindResults:
			for _, r := range e.Results {
				fmt.Fprintf(&b, "**%s** → %s\n\n%s\n\n", r.Name, r.Status, fenced(r.Text))
			}
		case e.Role == loop.Assistant:
			fmt.Fprintf(&b, "## Model\n\n%s\n\n", strings.TrimSpace(e.Text))
		case e.Kind == loop.KindNote || e.Kind == loop.KindSummary:
			fmt.Fprintf(&b, "> %s: %s\n\n", e.Kind, strings.ReplaceAll(strings.TrimSpace(e.Text), "\n", "\n> "))
		default:
			fmt.Fprintf(&b, "## You\n\n%s\n\n", strings.TrimSpace(e.Text))
		}
	}
	return b.String()
}

// fenced is text in a fence that it cannot close.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimRight(text, "\n") + "\n" + fence
}

func (c *chat) wordPermissions(context.Context, string) error {
	c.e.out.put(c.e.out.fold(c.say.describe(), 0, "    "))
	return nil
}
