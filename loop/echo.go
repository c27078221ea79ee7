package loop

import (
	"crypto/sha256"
	"encoding/json"
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
	known   map[[16]byte]struct{}
	full    bool // more than fits: every call of interest counts as an echo
}

func newEchoes(set *tools.Set, o parse.Options) *echoes {
	return &echoes{options: o, set: set, known: make(map[[16]byte]struct{})}
}

// harmful reports whether the tool can change something.
func harmful(t *tools.Tool) bool { return t != nil && t.Class != tools.Read }

// idle reports whether no tool is of interest.
func (e *echoes) idle() bool {
	for _, t := range e.set.All() {
		if harmful(t) {
			return false
		}
	}
	return true
}

// hear remembers the calls in a text, also those that would be none if a model
// had written the text as its reply: what a file shows as an example, hides in a
// thought or quotes in a string can be copied all the same.
func (e *echoes) hear(text string) {
	if text == "" || e.idle() {
		return
	}
	e.read(text)
	if plain := unfence.Replace(parse.Defuse(text)); plain != text {
		e.read(plain)
	}
	if quoted := quotedObjects(text); quoted != "" {
		e.read(quoted)
	}
}

var (
	unfence  = strings.NewReplacer("`", " ", "~~~", " ")
	unescape = strings.NewReplacer(`\"`, `"`, `\\`, `\`)
)

// quotedObjects are the objects that stand in JSON strings of the text, one
// below the other, as they are without the quotes.
func quotedObjects(text string) string {
	var b strings.Builder
	for {
		at := strings.Index(text, `{\"`)
		if at < 0 {
			return b.String()
		}
		text = text[at:]
		end := endOfQuoted(text)
		b.WriteString(unescape.Replace(text[:end]) + "\n\n")
		text = text[end:]
	}
}

// endOfQuoted is where the JSON string ends in which text begins.
func endOfQuoted(text string) int {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"', '\n':
			return i
		}
	}
	return len(text)
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
	if !harmful(e.set.Lookup(c.Name)) || e.full {
		return
	}
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
