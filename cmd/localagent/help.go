package main

import (
	"context"

	"github.com/spf13/pflag"
)

func helpCommand() *command {
	return &command{
		name:    "help",
		args:    "[COMMAND]",
		summary: "this list, or the flags of one command",
		groups:  []group{{"Help", func(f *pflag.FlagSet, o *options) { f.BoolVar(&o.man, "man", false, "print the manual page") }}},
		run:     runHelp,
	}
}

func runHelp(_ context.Context, e *env, o *options, args []string) error {
	if o.man {
		e.out.raw(manPage())
		return nil
	}
	if len(args) == 0 {
		e.out.raw(overview(e.out))
		return nil
	}
	c := lookupCommand(args[0])
	if c == nil {
		return unknownCommand(args[0])
	}
	_, groups := c.flags(&options{})
	e.out.raw(usage(e.out, c, groups))
	return nil
}

func unknownCommand(name string) error {
	if hint := didYouMean("", name, commandNames()); hint != "" {
		return usageErrorf("unknown command %q%s", name, hint)
	}
	return usageErrorf("unknown command %q (localagent help lists them)", name)
}
