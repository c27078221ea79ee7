package builtin

import (
	"errors"
	"fmt"
	"strings"

	"github.com/localagent/localagent/tools/internal/proc"
)

// A part is what is shown of a stream, after its name.
type part struct {
	text string
	cut  bool
}

// share divides the room: what one stream does not need is the other's.
func (s *shell) share(o *proc.Output, room int) (out, errs part) {
	half := int64(room / 2)
	room1, room2 := max(half, int64(room)-o.Stderr.Size), max(half, int64(room)-o.Stdout.Size)
	return s.part(&o.Stdout, int(room1)), s.part(&o.Stderr, int(room2))
}

// part is all of a stream, or its head and tail and where the rest is.
func (s *shell) part(st *proc.Stream, room int) part {
	if st.Size == 0 {
		return part{text: " empty"}
	}
	if all, _, left := st.Show(room, maxLines); left == 0 {
		return part{text: "\n" + trimBreak(all)}
	}
	s.save(st)
	head, tail, left := st.Show(max(0, room-noteRoom), maxLines)
	note := fmt.Sprintf("\n[%s left out; %s]\n", bytesOf(left), whereabouts(st))
	return part{text: "\n" + trimBreak(head) + note + trimBreak(tail), cut: true}
}

// save writes a stream to a file that is short enough to be in memory, but too
// long for the result.
func (s *shell) save(st *proc.Stream) {
	if !st.Whole() || st.Path != "" {
		return
	}
	f, err := s.spill()
	if err == nil {
		st.Path = f.Name()
		_, err = f.Write(append(st.Head[:len(st.Head):len(st.Head)], st.Tail...))
		err = errors.Join(err, f.Close())
	}
	if st.Spilled, st.SpillErr = st.Size, err; err != nil {
		st.Spilled = 0
	}
}

// whereabouts says where the whole stream is.
func whereabouts(st *proc.Stream) string {
	switch {
	case st.Spilled == 0:
		return fmt.Sprintf("it could not be kept in a file: %v", st.SpillErr)
	case st.Spilled < st.Size:
		return fmt.Sprintf("the first %s are in %s", bytesOf(st.Spilled), st.Path)
	}
	return "all of it is in " + st.Path + "; run_shell can read it with sed -n or grep"
}

func trimBreak(s string) string { return strings.TrimSuffix(s, "\n") }
