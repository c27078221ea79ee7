package tools

import (
	"context"
	"fmt"
	"regexp"
	"sync"
	"time"
)

// A Set is the tools of a run, in the order they were added. Its zero value is
// empty and ready; a nil Set is empty. Once filled it may be shared by any
// number of runs: it keeps no state of them.
type Set struct {
	tools   []*Tool
	entries map[string]*entry
}

// An entry is a tool with its schema made ready.
type entry struct {
	tool *Tool
	*Schema
}

// NewSet returns a set of the given tools. It panics as [Set.Add] does.
func NewSet(ts ...*Tool) *Set {
	s := &Set{}
	for _, t := range ts {
		s.Add(t)
	}
	return s
}

var nameRE = lazily(`^[A-Za-z_][A-Za-z0-9_.:/-]{0,63}$`)

// lazily compiles an expression when it is first used: most programs that link
// this package start without needing it.
func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// Add adds a tool. It panics when the name is bad or taken, when there is no
// Run, or when Parameters is not the schema of an object: a programmer's
// mistake. The tool must not be changed afterwards.
func (s *Set) Add(t *Tool) {
	if !nameRE().MatchString(t.Name) {
		panic(fmt.Sprintf("tools: name %q, want %s", t.Name, nameRE()))
	}
	if s.entries[t.Name] != nil {
		panic(fmt.Sprintf("tools: %s added twice", t.Name))
	}
	if t.Run == nil {
		panic(fmt.Sprintf("tools: %s has no Run", t.Name))
	}
	schema, err := compile(t.Parameters, false)
	if err != nil {
		panic(fmt.Sprintf("tools: parameters of %s: %v", t.Name, err))
	}
	if s.entries == nil {
		s.entries = map[string]*entry{}
	}
	s.entries[t.Name] = &entry{t, schema}
	s.tools = append(s.tools, t)
}

// Lookup returns the tool of that exact name, or nil.
func (s *Set) Lookup(name string) *Tool {
	if e := s.entry(name); e != nil {
		return e.tool
	}
	return nil
}

func (s *Set) entry(name string) *entry {
	if s == nil {
		return nil
	}
	return s.entries[name]
}

// All returns the tools in the order they were added. The slice is the set's
// own.
func (s *Set) All() []*Tool {
	if s == nil {
		return nil
	}
	return s.tools
}

// Check looks up the tool and checks the arguments against its schema after
// coercing what is only misspelled ("5" for an integer). It returns the call
// to run and, when it must not run, the result that says why; then the
// returned call is the one given.
//
// A wrong call is counted in [Call].Mistakes; the third of its kind is answered
// at greater length.
func (s *Set) Check(c Call) (checked Call, coerced []string, bad *Result) {
	e := s.entry(c.Name)
	if e == nil {
		return c, nil, s.unknown(c)
	}
	args, coerced, problems := e.read(c.Args)
	if len(problems) > 0 {
		return c, nil, e.invalid(c, args, problems)
	}
	c.Args = args
	c.Coerced = append(c.Coerced, coerced...)
	return c, coerced, nil
}

// Do checks the call, runs it and returns its result, whatever happens. It
// returns at the latest a few seconds after the tool's time is up or ctx has
// ended, also when the tool does not: such a tool is left behind, and the
// result says so.
func (s *Set) Do(ctx context.Context, c Call) Result {
	start := time.Now()
	c, _, bad := s.Check(c)
	if bad != nil {
		return *bad
	}
	e := s.entry(c.Name)
	r := run(ctx, e.tool, c)
	r.Elapsed = time.Since(start)
	return e.remember(c, r)
}
