package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		line string // words with spaces between
		name string
		rest string
	}{
		{"", "run", ""},
		{"what is here", "run", "what is here"},
		{"run what is here", "run", "what is here"},
		{"parse --jsonl", "parse", "--jsonl"},
		{"-m gemma3 parse", "parse", "-m gemma3"},                     // a flag's value is no command
		{"-m parse what", "run", "-m parse what"},                     //
		{"-qm parse what", "run", "-qm parse what"},                   // a value behind joined letters
		{"-mparse tools", "tools", "-mparse"},                         // a value in the same word
		{"--model=parse tools", "tools", "--model=parse"},             //
		{"--json parse", "parse", "--json"},                           // a flag without a value
		{"-- parse this", "run", "-- parse this"},                     // all after -- is a prompt
		{"run -- parse this", "run", "-- parse this"},                 //
		{"run parse this", "run", "parse this"},                       //
		{"--max-turns 3 version", "version", "--max-turns 3"},         // another name of --max-steps
		{"--unknown version", "version", "--unknown"},                 // the command will refuse it
		{"- explain", "run", "- explain"},                             // "-" is a word
		{"explain parse", "run", "explain parse"},                     // only the first word counts
		{"--color never -v demo", "demo", "--color never -v"},         //
		{"--temperature 0 demo", "demo", "--temperature 0"},           //
		{"--timeout=5s -C /tmp demo", "demo", "--timeout=5s -C /tmp"}, //
	} {
		cmd, rest, _ := split(strings.Fields(c.line))
		if got := strings.Join(rest, " "); cmd.name != c.name || got != c.rest {
			t.Errorf("split(%q) = %s, %q; want %s, %q", c.line, cmd.name, got, c.name, c.rest)
		}
	}
}

func TestMisspelled(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"prase", "parse"},
		{"versoin", "version"},
		{"tool call calc", "tools"},
		{"modles", "models"},
		{"hello", ""},
		{"what", ""},                // not chat
		{"parse", ""},               // right
		{"demi is a prefix", ""},    // a sentence
		{"help me with this", ""},   //
		{"explain", ""},             //
		{"summarize this text", ""}, //
	} {
		if got := misspelled(strings.Fields(c.line)); got != c.want {
			t.Errorf("misspelled(%q) = %q, want %q", c.line, got, c.want)
		}
	}
}

func TestClosest(t *testing.T) {
	words := []string{"model", "max-steps", "timeout", "json", "verbose", "no-stream"}
	for typo, want := range map[string]string{
		"modle":    "model",
		"max-step": "max-steps",
		"max":      "max-steps",
		"jsno":     "json",
		"jsonl":    "json",
		"time":     "timeout",
		"verbos":   "verbose",
		"stream":   "no-stream",
		"xyz":      "",
		"q":        "",
	} {
		if got := closest(typo, words); got != want {
			t.Errorf("closest(%q) = %q, want %q", typo, got, want)
		}
	}
}

// A flag that takes a value in one command and none in another could not be
// told from the command's name.
func TestFlagsAgree(t *testing.T) {
	arity := map[string]string{}
	for _, c := range commands() {
		set, _ := c.flags(&options{})
		set.VisitAll(func(f *pflag.Flag) {
			for _, name := range []string{f.Name, f.Shorthand} {
				if old, ok := arity[name]; ok && name != "" && old != f.NoOptDefVal {
					t.Errorf("%s: flag %s has another form than elsewhere", c.name, name)
				}
				arity[name] = f.NoOptDefVal
			}
		})
	}
}

// Every flag and command has words for the help, and no line is too wide.
func TestHelpIsComplete(t *testing.T) {
	for _, c := range commands() {
		if c.summary == "" || c.run == nil {
			t.Errorf("%s: no summary or nothing to run", c.name)
		}
		set, groups := c.flags(&options{})
		set.VisitAll(func(f *pflag.Flag) {
			value, what := pflag.UnquoteUsage(f)
			if what == "" || f.NoOptDefVal == "" && strings.ToUpper(value) != value {
				t.Errorf("%s: flag --%s: value %q, usage %q", c.name, f.Name, value, what)
			}
		})
		s := newScreen(nil, vars())
		for line := range strings.Lines(usage(s, c, groups)) {
			if textWidth(line) > 82 && !slices.ContainsFunc(c.examples, func(x example) bool { return strings.Contains(line, x.line) || strings.Contains(line, x.does) }) {
				t.Errorf("%s: a line is %d columns wide: %s", c.name, textWidth(line), line)
			}
		}
	}
}
