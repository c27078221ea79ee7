// Command localagent lets any local model drive tools.
//
// It asks a model for tool calls in a small text protocol, reads whatever the
// model writes back, runs the tools and goes on until there is an answer.
// `localagent help` lists the commands; exit statuses are in exit.go.
//
// The files, from the outside in: main.go and dispatch.go find the command;
// flags.go holds every flag, in groups that commands share; one file per
// command; screen.go, clean.go and width.go are the way to a terminal;
// progress.go and output.go turn the events of a run into lines.
package main

import (
	"io"
	"os"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is the whole program but for the exit.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	e := newEnv(stdin, stdout, stderr, os.Getenv)
	return e.dispatch(args)
}
