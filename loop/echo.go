package loop

import (
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strings"

	"github.com/localagent/localagent/parse"
	"github.com/localagent/localagent/tools"
)

const (
	// maxEchoes bounds the memory of the echo guard. Text that holds more calls
	// than that is no file anyone meant to be read as such.
	maxEchoes = 1 << 14

	// echoPiece is how much is fed to a scanner at once. It bounds what is read
	// again after a marker that ends a reply.
	echoPiece = 512
)

// echoes remembers the calls that stand in text which neither the user nor the
// model wrote: results, files, piped text. A model that quotes such text, or
// obeys it, makes the call without meaning it.
//
// Only calls that can do harm are of interest: of the classes write and exec.
type echoes struct {
	options parse.Options
	set     *tools.Set
	names   []string        // of the tools of interest
	heard   map[string]bool // what this text has held so far
	known   map[[16]byte]struct{}
	full    bool // more than fits: every call of interest counts as an echo
}

func newEchoes(set *tools.Set, o parse.Options) *echoes {
	e := &echoes{options: o, set: set, known: make(map[[16]byte]struct{})}
	for _, t := range set.All() {
		if harmful(t) {
			e.names = append(e.names, t.Name)
		}
	}
	return e
}

// harmful reports whether the tool can change something.
func harmful(t *tools.Tool) bool { return t != nil && t.Class != tools.Read }

// hear remembers the calls in a text, also those that would be none if a model
// had written the text as its reply: what a file shows as an example, hides in a
// thought, in other data or behind line numbers, or quotes in a string can be
// copied all the same.
func (e *echoes) hear(text string) {
	if text == "" || len(e.names) == 0 || e.full {
		return
	}
	if !e.mentions(text) {
		return
	}
	e.heard = make(map[string]bool)
	for _, form := range formsOf(text) {
		if e.mentions(form) {
			e.read(form)
			e.readParts(form)
		}
	}
	e.heard = nil
}

// readParts remembers the calls that stand alone in the middle of something
// else.
func (e *echoes) readParts(text string) {
	for part, ok := range partsOf(text, e.names) {
		switch {
		case !ok:
			e.full = true
		case !e.heard[part] && e.mentions(part):
			e.heard[part] = true
			e.note(parse.Parse(part, e.options, parse.FinishStop))
		}
	}
}

// mentions reports whether the name of a tool of interest may stand in the text,
// however it is spelled.
func (e *echoes) mentions(text string) bool {
	if strings.Contains(text, `\u`) {
		return true
	}
	text = folded(text)
	return slices.ContainsFunc(e.names, func(name string) bool { return strings.Contains(text, folded(name)) })
}

// read remembers the calls that a reader of replies finds. A marker that would
// end a reply does not end the text: it is read on one byte further, where it is
// a marker no more.
func (e *echoes) read(text string) {
	s := parse.NewScanner(e.options)
	start, fed := 0, 0 // of what the scanner reads; up to where it has read
	for fed < len(text) {
		next := min(fed+echoPiece, len(text))
		stop := e.feed(s, text[fed:next])
		fed = next
		if !stop {
			continue
		}
		r := s.Close(parse.FinishUnknown)
		e.note(r)
		s.Reset()
		if at, ok := beyondAt(r); ok {
			fed = start + at + 1
		}
		start = fed
	}
	e.note(s.Close(parse.FinishUnknown))
}

// feed gives a piece to the scanner and remembers the calls it reports.
func (e *echoes) feed(s *parse.Scanner, piece string) (stop bool) {
	for _, ev := range s.Feed(piece) {
		switch ev.Kind {
		case parse.EventCall:
			e.add(ev.Call)
		case parse.EventStop:
			stop = true
		}
	}
	return stop
}

// note remembers all complete calls of a reading, whatever it came to.
func (e *echoes) note(r parse.Result) {
	for i := range r.Calls {
		e.add(&r.Calls[i])
	}
	for i := range r.Void {
		e.add(&r.Void[i])
	}
}

func (e *echoes) add(c *parse.Call) {
	as := c.Name + "\x00" + string(c.Args)
	if e.heard[as] || e.full || !harmful(e.set.Lookup(c.Name)) {
		return
	}
	e.heard[as] = true
	e.known[e.key(c.Name, json.RawMessage(parse.Restore(string(c.Args))))] = struct{}{}
	e.full = len(e.known) >= maxEchoes
}

// has reports whether a call is an echo.
func (e *echoes) has(c Call) bool {
	if !harmful(e.set.Lookup(c.Name)) {
		return false
	}
	_, ok := e.known[e.key(c.Name, c.Args)]
	return ok || e.full
}

// key makes equal what does the same: arguments are compared as they would run,
// with their keys sorted.
func (e *echoes) key(name string, args json.RawMessage) [16]byte {
	if c, _, bad := e.set.Check(tools.Call{Name: name, Args: args}); bad == nil {
		args = c.Args
	}
	var b strings.Builder
	b.WriteString(name)
	b.WriteByte(0)
	b.Write(sortedJSON(args))
	sum := sha256.Sum256([]byte(b.String()))
	return [16]byte(sum[:16])
}
