package main

import (
	"context"
	"slices"

	"github.com/hbollon/go-edlib"
)

// A command is one word of the command line and what it does.
type command struct {
	name     string
	args     string // of the usage line
	summary  string // for the list of commands
	about    string // a paragraph or two for its own help
	examples []example
	groups   []group
	run      func(ctx context.Context, e *env, o *options, args []string) error

	// graceful commands see their context cancelled by the first signal and
	// end in their own time; the others end at once.
	graceful bool

	// alone commands take no arguments but flags.
	alone bool

	// configured commands read the config files and the environment.
	configured bool
}

// An example is a command line and what it does.
type example struct{ line, does string }

// commands is every command, in the order of the help.
func commands() []*command {
	return []*command{
		runCommand(),
		chatCommand(),
		parseCommand(),
		toolsCommand(),
		modelsCommand(),
		doctorCommand(),
		sessionsCommand(),
		demoCommand(),

		completionCommand(),
		versionCommand(),
		helpCommand(),
	}
}

func lookupCommand(name string) *command {
	for _, c := range commands() {
		if c.name == name {
			return c
		}
	}
	return nil
}

func commandNames() []string {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

// split finds the command of a command line: its first word that is no flag
// and no flag's value, if it names a command. All else is a prompt for run, and
// so is everything when "--" comes first. named says whether a command was.
func split(args []string) (c *command, rest []string, named bool) {
	if i := firstWord(args); i >= 0 {
		if c := lookupCommand(args[i]); c != nil {
			return c, slices.Concat(args[:i:i], args[i+1:]), true
		}
	}
	return lookupCommand("run"), args, false
}

// firstWord is the index of the first argument that is neither a flag nor a
// flag's value, -1 if there is none before "--".
func firstWord(args []string) int {
	f := anyFlags()
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "--":
			return -1
		case a == "-" || a == "" || a[0] != '-':
			return i
		case takesNext(f, a):
			i++
		}
	}
	return -1
}

// misspelled says which command a lone word was meant to be: one slip of the
// keys from it, and no other first letter. With more words a sentence is
// likelier, unless they are the words of that command.
func misspelled(args []string) string {
	if len(args) == 0 || len(args[0]) < 3 {
		return ""
	}
	for _, name := range commandNames() {
		if args[0][0] != name[0] || args[0] == name || edlib.OSADamerauLevenshteinDistance(args[0], name) > 1 {
			continue
		}
		if len(args) == 1 || slices.Contains(subcommands[name], args[1]) {
			return name
		}
	}
	return ""
}

// subcommands are the words that may follow a command.
var subcommands = map[string][]string{
	"tools":      {"call"},
	"sessions":   {"list", "show", "path", "rm"},
	"completion": {"bash", "zsh", "fish"},
}
