package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// manPage is the manual page of the program, in the man macros of roff.
func manPage() string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH LOCALAGENT 1 \"\" \"localagent %s\" \"User Commands\"\n", roff(version()))
	section := func(name string) { fmt.Fprintf(&b, ".SH %s\n", name) }
	section("NAME")
	b.WriteString("localagent \\- lets any local model drive tools\n")
	section("SYNOPSIS")
	for _, c := range commands() {
		fmt.Fprintf(&b, ".B localagent\n%s\n.br\n", roff(c.synopsis()))
	}
	section("DESCRIPTION")
	b.WriteString("localagent reads calls out of the plain text that a model writes, runs them and goes on until there is an answer.\n" +
		"Words that name no command are a prompt for\n.BR run ;\nafter\n.B \\-\\-\nthey always are.\n")
	section("COMMANDS")
	for _, c := range commands() {
		fmt.Fprintf(&b, ".SS %s\n%s\n", roff(c.synopsis()), roff(cmp.Or(c.about, c.summary)))
		_, groups := c.flags(&options{})
		for _, g := range groups[:len(groups)-1] {
			g.VisitAll(func(f *pflag.Flag) { manFlag(&b, f) })
		}
		for _, x := range c.examples {
			fmt.Fprintf(&b, ".PP\n%s:\n.PP\n.RS 4\n.EX\n%s\n.EE\n.RE\n", roff(x.does), roff(x.line))
		}
	}
	section("OPTIONS OF EVERY COMMAND")
	_, groups := versionCommand().flags(&options{})
	groups[len(groups)-1].VisitAll(func(f *pflag.Flag) { manFlag(&b, f) })
	section("EXIT STATUS")
	for _, s := range exitTable {
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", s.code, roff(s.means))
	}
	section("ENVIRONMENT")
	for _, v := range environment {
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(v.name), roff(v.means))
	}
	return b.String()
}

func manFlag(b *strings.Builder, f *pflag.Flag) {
	if f.Hidden {
		return
	}
	left, right := flagRow(f)
	fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(strings.TrimSpace(left)), roff(right))
}

// roff writes text so that roff takes none of it for a request.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n.br\n")
}

// exitTable says what the statuses mean; see the constants.
var exitTable = []struct{ code, means string }{
	{"0", "an answer (a cut one too: stderr says so), or the command did its work"},
	{"1", "an internal error, I/O, a hook, the session log, or a tool that tools call ran and that failed"},
	{"2", "wrong flags, config or command; an empty prompt"},
	{"3", "a limit before there was an answer: steps, tokens, or the loop guard"},
	{"4", "a person said no, or a call needed approval and nobody could be asked (also when there is an answer)"},
	{"5", "no usable reply: unparseable, empty, repetition, or the context does not fit; with parse --strict: one reply could not be read"},
	{"6", "no server, no such model, or the server failed"},
	{"124", "the time given with --timeout was up"},
	{"129", "the terminal was closed"},
	{"130", "Ctrl-C"},
	{"141", "whoever read stdout has gone"},
	{"143", "terminated"},
}

// environment is what the command reads of the environment.
var environment = []struct{ name, means string }{
	{"OLLAMA_HOST", "address of the Ollama server, in every form that Ollama takes"},
	{"LOCALAGENT_MODEL", "the model to use when -m names none"},
	{"LOCALAGENT_APPROVE", "the default of --approve"},
	{"LOCALAGENT_NUM_CTX", "the default of --num-ctx"},
	{"LOCALAGENT_CONFIG", "the config file, as --config"},
	{"LOCALAGENT_STATE_DIR", "where sessions and history are kept, in place of $XDG_STATE_HOME/localagent"},
	{"NO_COLOR", "when set, no colour"},
	{"TERM", "dumb, or not set: no colour, no line that is rewritten"},
	{"COLUMNS", "width of help and tables when stdout is no terminal"},
}
