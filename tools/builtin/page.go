package builtin

import (
	"strings"

	"github.com/localagent/localagent/tools"
	"github.com/localagent/localagent/tools/internal/cut"
)

const (
	maxResult = 50 << 10 // bytes of a result text
	maxLines  = 2000     // lines of one
	noteRoom  = 300      // bytes kept free for saying what is left out
)

// room is how much a result of this call may hold.
func room(c tools.Call) int {
	if c.MaxBytes > 0 {
		return min(c.MaxBytes, maxResult)
	}
	return maxResult
}

// A page is a result that is written line by line until it is full. What does
// not fit is for the caller to say in a note.
type page struct {
	text  strings.Builder
	room  int // for lines and notes
	notes int // of it for notes
	lines int
	cut   bool
}

func newPage(c tools.Call) *page {
	n := room(c)
	return &page{room: n, notes: min(noteRoom, n/2)}
}

// left is how many bytes another line may have.
func (p *page) left() int {
	if p.lines >= maxLines {
		return 0
	}
	return max(0, p.room-p.notes-p.text.Len()-1)
}

// add adds a line if it fits.
func (p *page) add(line string) bool {
	if len(line) > p.left() || p.lines >= maxLines {
		p.cut = true
		return false
	}
	p.text.WriteString(line)
	p.text.WriteByte('\n')
	p.lines++
	return true
}

// result ends the page with notes, each a line in brackets.
func (p *page) result(notes ...string) tools.Result {
	for _, n := range notes {
		if n != "" {
			p.text.WriteString("[" + n + "]\n")
		}
	}
	text := strings.TrimSuffix(p.text.String(), "\n")
	if len(text) > p.room {
		text, p.cut = text[:cut.End(text, p.room)], true
	}
	return tools.Result{Text: text, Truncated: p.cut}
}
