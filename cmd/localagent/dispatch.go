package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/pflag"
)

// dispatch finds the command, reads its flags, runs it and returns the status.
func (e *env) dispatch(args []string) int {
	if len(args) > 0 && args[0] == completeWord {
		e.complete(args[1:])
		return exitOK
	}
	if len(args) == 1 { // asked for most often, and worth no flags
		switch args[0] {
		case "--version":
			e.out.put(versionLine())
			return e.end(nil)
		case "--help", "-h":
			e.out.raw(overview(e.out))
			return e.end(nil)
		}
	}
	c, rest, named := split(args)
	o := &options{}
	set, groups := c.flags(o)
	if err := set.Parse(rest); err != nil {
		if printsResult(set) && slices.Contains(rest, "--json") {
			o.format = formatJSON
		}
		return e.fail(e.failed(o, flagError(c, set, err)))
	}
	if o.help {
		e.out.raw(usage(e.out, c, groups))
		return e.end(nil)
	}
	if err := o.settle(e, c, set); err != nil {
		return e.fail(e.failed(o, err))
	}
	if err := checkWords(c, set, named); err != nil {
		return e.fail(e.failed(o, err))
	}
	return e.withSignals(c.graceful, func(ctx context.Context) int {
		if o.version {
			c = versionCommand()
		}
		return e.end(c.run(ctx, e, o, set.Args()))
	})
}

// checkWords refuses words that can be no prompt and no arguments. named says
// whether one of them was the command.
func checkWords(c *command, set *pflag.FlagSet, named bool) error {
	if !named && set.ArgsLenAtDash() < 0 {
		if name := misspelled(set.Args()); name != "" {
			return usageErrorf("unknown command %q; did you mean %s? (localagent run %s makes it a prompt)", set.Arg(0), name, set.Arg(0))
		}
	}
	if c.alone && set.NArg() > 0 {
		return usageErrorf("%s takes no arguments, got %q%s", c.name, set.Arg(0), asPrompt(c, set))
	}
	return nil
}

// asPrompt says how words behind a command's name become a prompt, if they look
// like one.
func asPrompt(c *command, set *pflag.FlagSet) string {
	if set.NArg() < 2 {
		return ""
	}
	return fmt.Sprintf(" (localagent run %s … makes it a prompt)", c.name)
}

// end is the status of a command that returned err. Whatever a command says,
// it has not done its work when that did not come out.
func (e *env) end(err error) int {
	var said exit
	lost := e.lost()
	if lost != nil && (err == nil || errors.As(err, &said) || errors.Is(err, e.out.err)) {
		err = lost
	}
	if err != nil {
		return e.fail(err)
	}
	return exitOK
}

// killWait is how long a second signal waits for what it killed to be gone.
const killWait = time.Second

// withSignals runs f with a context that the first signal cancels; f ends in
// its own time then. A second signal ends at once what f is still waiting for,
// and the program. When f is not graceful the first signal ends it.
func (e *env) withSignals(graceful bool, f func(context.Context) int) int {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	sigs := make(chan os.Signal, 2)
	signal.Notify(sigs, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(sigs)
	// Unasked for, a write to a closed pipe ends the program on the spot and
	// leaves the run's tools behind. Ignoring the signal would be inherited by
	// the programs that tools run.
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE)
	defer signal.Stop(pipe)

	done := make(chan int, 1)
	go func() { done <- f(ctx) }()
	for {
		select {
		case code := <-done:
			return code
		case s := <-sigs:
			cause := &signalError{s.(syscall.Signal)}
			switch {
			case s == os.Interrupt && ctx.Err() == nil && e.caught(cause):
			case graceful && ctx.Err() == nil:
				cancel(cause)
			default:
				close(e.kill)
				select {
				case <-done:
				case <-time.After(killWait):
				case <-sigs:
				}
				return codeOf(cause)
			}
		}
	}
}

// flagError says in one line what is wrong with a flag of c, if there is one,
// and what was meant.
func flagError(c *command, set *pflag.FlagSet, err error) error {
	see := ""
	if c != nil {
		see = fmt.Sprintf(" (localagent help %s lists them)", c.name)
	}
	var missing *pflag.NotExistError
	var needs *pflag.ValueRequiredError
	var bad *pflag.InvalidValueError
	switch {
	case errors.As(err, &missing) && missing.GetSpecifiedShortnames() != "":
		return usageErrorf("unknown flag -%s%s", missing.GetSpecifiedName()[:1], see)
	case errors.As(err, &missing):
		name := missing.GetSpecifiedName()
		if hint := didYouMean("--", name, flagNames(set)); hint != "" {
			return usageErrorf("unknown flag --%s%s", name, hint)
		}
		return usageErrorf("unknown flag --%s%s", name, see)
	case errors.As(err, &needs):
		_, what := pflag.UnquoteUsage(needs.GetFlag())
		return usageErrorf("flag --%s needs a value: %s", needs.GetFlag().Name, what)
	case errors.As(err, &bad):
		name, cause := bad.GetFlag().Name, plainCause(bad)
		if value, _ := pflag.UnquoteUsage(bad.GetFlag()); value != "" {
			return usageErrorf("flag --%s: %q is no %s: %v", name, bad.GetValue(), value, cause)
		}
		return usageErrorf("flag --%s: %q: %v", name, bad.GetValue(), cause)
	}
	return usageErrorf("%v", err)
}

// plainCause is why a value was refused, without the names of Go's functions.
func plainCause(bad *pflag.InvalidValueError) error {
	err := bad.Unwrap()
	var num interface{ Unwrap() error }
	if errors.As(err, &num) {
		if inner := num.Unwrap(); inner != nil {
			return inner
		}
	}
	return err
}

func flagNames(set *pflag.FlagSet) []string {
	var names []string
	set.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return names
}
