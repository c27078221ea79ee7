package main

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// overview is the help of the whole program.
func overview(s *screen) string {
	var b strings.Builder
	h := func(title string) { fmt.Fprintf(&b, "\n%s\n", s.paint(span{styleBold, title})) }
	b.WriteString("localagent lets any local model drive tools: it reads calls out of plain text,\n" +
		"runs them and goes on until there is an answer.\n")
	h("Commands:")
	for _, c := range commands() {
		writeRow(&b, s.width(), 28, c.synopsis(), c.summary)
	}
	h("Examples:")
	for _, x := range overviewExamples {
		fmt.Fprintf(&b, "  # %s\n  %s\n", x.does, x.line)
	}
	b.WriteString("\n`localagent help COMMAND` has the flags of a command. Words that name no command\n" +
		"are a prompt for run; after -- they always are. `localagent help --man | man -l -`\n" +
		"has all of it, with the exit codes and the environment.\n")
	return b.String()
}

var overviewExamples = []example{
	{`localagent demo`, "see the whole story without a model"},
	{`localagent -m gemma3:4b "Which file here is the largest?"`, "ask, with tools that only look"},
	{`cat build.log | localagent -m gemma3:4b "Which test failed, and in which file?"`, "ask about piped text"},
}

// usage is the help of one command.
func usage(s *screen, c *command, groups []titledSet) string {
	var b strings.Builder
	h := func(title string) { fmt.Fprintf(&b, "\n%s\n", s.paint(span{styleBold, title})) }
	fmt.Fprintf(&b, "%s localagent %s\n", s.paint(span{styleBold, "Usage:"}), c.synopsis())
	if c.about != "" {
		fmt.Fprintf(&b, "\n%s\n", wrap(c.about, s.width()))
	}
	for _, g := range groups {
		h(g.title + ":")
		g.VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				left, right := flagRow(f)
				writeRow(&b, s.width(), 30, left, right)
			}
		})
	}
	if len(c.examples) > 0 {
		h("Examples:")
		for _, x := range c.examples {
			fmt.Fprintf(&b, "  # %s\n  %s\n", x.does, x.line)
		}
	}
	return b.String()
}

// synopsis is how the command is typed.
func (c *command) synopsis() string {
	name := c.name
	if name == "run" {
		name = "[run]"
	}
	return strings.TrimSpace(name + " " + c.args)
}

// flagRow is a flag and what it does.
func flagRow(f *pflag.Flag) (left, right string) {
	value, what := pflag.UnquoteUsage(f)
	left = "    --" + f.Name
	if f.Shorthand != "" {
		left = "-" + f.Shorthand + ", --" + f.Name
	}
	switch {
	case f.NoOptDefVal == "":
		left += " " + value
	case value != "" && f.Value.Type() != "count":
		left += "[=" + value + "]"
	}
	if d := f.DefValue; f.NoOptDefVal == "" && d != "" && d != "0" && d != "[]" && !strings.Contains(what, "(default") {
		what += " (default " + d + ")"
	}
	return left, what
}

// writeRow writes a row of two columns, the second wrapped to the width. Where
// there is next to no room for it, it stands below the first.
func writeRow(b *strings.Builder, width, indent int, left, right string) {
	const margin, least, narrow = "  ", 20, 6
	if width-indent < least {
		indent = narrow
	}
	left = margin + left
	if w := textWidth(left); w > indent-2 {
		b.WriteString(left + "\n" + strings.Repeat(" ", indent))
	} else {
		b.WriteString(left + strings.Repeat(" ", indent-w))
	}
	text := wrap(right, max(least, width-indent))
	b.WriteString(strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", indent)) + "\n")
}

// wrap breaks text between words so that no line is wider than width, as far as
// words allow. Lines that stand in text are kept.
func wrap(text string, width int) string { return wrapIndented(text, width, 0, "") }

// wrapIndented does the same for text that begins at column col; indent stands
// before each further line that a line becomes. The white space at the start of
// a line stays.
func wrapIndented(text string, width, col int, indent string) string {
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.WriteByte('\n')
			col = 0
		}
		if col+textWidth(line) <= width {
			b.WriteString(line)
			continue
		}
		words := strings.Fields(line)
		lead := line[:len(line)-len(strings.TrimLeft(line, " "))]
		b.WriteString(lead)
		col += len(lead)
		for j, word := range words {
			w := textWidth(word)
			switch {
			case j > 0 && col+1+w > width:
				b.WriteString("\n" + indent)
				col = len(indent)
			case j > 0:
				b.WriteByte(' ')
				col++
			}
			b.WriteString(word)
			col += w
		}
	}
	return b.String()
}
