package loop

import (
	"fmt"
	"slices"

	"github.com/localagent/localagent/tools"
)

// Compaction makes room in three tiers, cheapest first. Rewriting an old entry
// voids the server's prefix cache from there on, so nothing is touched before
// the prompt crosses a threshold and the gain is worth it, and then all that is
// due goes at once:
//
//	snip          pairs of reply and results that say nothing any more
//	microcompact  old results shrink to a line, oldest first
//	summarize     what is older than the newest messages becomes a summary
//
// All shares are of the room for the prompt: the window less the reply.
const (
	compactAt   = 0.60 // the first two tiers may start
	compactGain = 0.10 // but not for less than this
	compactTo   = 0.40 // microcompact stops
	summarizeAt = 0.80 // the third tier, if the first two gain too little
	retryAt     = 0.05 // how much must be new since a summary that did not help
	warnAt      = 0.75 // the model is told

	minGain      = 300 // tokens a summary must save to be worth a request
	maxUseless   = 2   // summaries that did not shrink, then the run ends
	stubbedBytes = 160 // results that short are left alone
)

// A newest is what compaction leaves alone: the last entries, for snip and
// summarize, and the last results, for microcompact.
type newest struct {
	entries, results int
	unseen           bool // and all results that the model has not seen yet
}

var (
	usual = newest{entries: 6, results: 3, unseen: true}
	bare  = newest{entries: 2, results: 1} // when the prompt does not fit otherwise
)

// snip removes pairs of reply and results that say nothing any more: a look that
// was taken again later, a failure that was corrected, a step the guard did not
// run, an announcement and its nudge. What changed something stays. looks says
// of a tool that it only looks.
func snip(entries []Entry, n newest, looks func(tool string) bool) []Entry {
	end := len(entries) - n.entries
	out := make([]Entry, 0, len(entries))
	later := newLaterCalls(entries, looks)
	for i := 0; i < len(entries); i++ {
		e := entries[i]
		switch {
		case i >= end:
		case isPair(entries, i):
			if i+1 >= end {
				break
			}
			later.drop(e, entries[i+1])
			if later.supersede(e, entries[i+1]) {
				i++
				continue
			}
		case i+1 < end && e.Role == Assistant && entries[i+1].Kind == KindNote && entries[i+1].Text == noteAnnounced:
			i++
			continue
		case e.Kind == KindNote && e.Text != noteGoOn && e.Text != noteContinue:
			continue
		}
		out = append(out, e)
	}
	return out
}

// isPair reports whether entry i is a reply with calls and i+1 their results.
func isPair(entries []Entry, i int) bool {
	return i+1 < len(entries) && len(entries[i].Calls) > 0 &&
		entries[i+1].Kind == KindResults && len(entries[i+1].Results) == len(entries[i].Calls)
}

// laterCalls counts the successful calls after a place in the conversation.
type laterCalls struct {
	calls map[string]int // by name and arguments
	names map[string]int
	looks func(tool string) bool
}

func newLaterCalls(entries []Entry, looks func(string) bool) laterCalls {
	l := laterCalls{calls: map[string]int{}, names: map[string]int{}, looks: looks}
	for i := range entries {
		if isPair(entries, i) {
			l.count(entries[i], entries[i+1], +1)
		}
	}
	return l
}

// drop takes a pair out of the count: it lies behind us.
func (l laterCalls) drop(reply, results Entry) { l.count(reply, results, -1) }

func (l laterCalls) count(reply, results Entry, n int) {
	for i, c := range reply.Calls {
		if results.Results[i].Status == tools.OK {
			l.calls[callKey(c.Name, c.Args)] += n
			l.names[c.Name] += n
		}
	}
}

// supersede reports whether every call of a pair lost its point later.
func (l laterCalls) supersede(reply, results Entry) bool {
	for i, c := range reply.Calls {
		switch results.Results[i].Status {
		case tools.Repeated:
		case tools.InvalidArgs:
			if l.names[c.Name] == 0 {
				return false
			}
		case tools.OK:
			if l.calls[callKey(c.Name, c.Args)] == 0 || !l.looks(c.Name) {
				return false
			}
		default: // of a command that failed, or was not allowed, the failure may matter
			if l.names[c.Name] == 0 || !l.looks(c.Name) {
				return false
			}
		}
	}
	return true
}

// microcompact shrinks old results to a line, oldest first, until excess tokens
// are saved. The newest results stay, and those of tools whose results are to
// be kept.
func microcompact(entries []Entry, n newest, keep func(tool string) bool, excess int, tokens func(string) int) []Entry {
	out := slices.Clone(entries)
	spared := n.results
	if n.unseen {
		spared = max(spared, countResults(out[repliedAt(out)+1:]))
	}
	left := countResults(out) - spared
	for i := range out {
		e := &out[i]
		cloned := false
		for j := 0; j < len(e.Results) && left > 0 && excess > 0; j++ {
			left--
			r := e.Results[j]
			if len(r.Text) <= stubbedBytes || keep(r.Name) {
				continue
			}
			if !cloned {
				e.Results, cloned = slices.Clone(e.Results), true
			}
			stub := stubOf(r)
			excess -= tokens(r.Text) - tokens(stub.Text)
			e.Results[j] = stub
		}
	}
	return out
}

// repliedAt is the index of the model's last reply, or -1.
func repliedAt(entries []Entry) int {
	for i := len(entries) - 1; i >= 0; i-- {
		if entries[i].Role == Assistant {
			return i
		}
	}
	return -1
}

func countResults(entries []Entry) int {
	n := 0
	for i := range entries {
		n += len(entries[i].Results)
	}
	return n
}

// stubOf is a result without its text. The call that it belongs to stands
// above it.
func stubOf(r tools.Result) tools.Result {
	r.Text = fmt.Sprintf("(removed to save room: %d bytes. Call %s again if you need them.)", len(r.Text), r.Name)
	r.Truncated = true
	r.Diff = ""
	return r
}

// older is where the newest entries begin that a summary leaves alone. It never
// parts a call from its results.
func older(entries []Entry, n newest) int {
	for i := len(entries) - n.entries; i > 0; i-- {
		if e := entries[i]; e.Kind == KindReply || e.Kind == KindTask || e.Kind == KindSteer {
			return i
		}
	}
	return 0
}

// summarized puts a summary in the place of the first cut entries. The user's
// last task stays as it was said.
func summarized(entries []Entry, cut int, summary string) []Entry {
	var out []Entry
	if at := lastTask(entries); at >= 0 && at < cut {
		out = append(out, entries[at])
	}
	out = append(out, Entry{Role: User, Kind: KindSummary, Text: summary})
	return append(out, entries[cut:]...)
}

// lastTask is the index of the user's last task, or -1.
func lastTask(entries []Entry) int {
	for i := len(entries) - 1; i >= 0; i-- {
		if entries[i].Kind == KindTask {
			return i
		}
	}
	return -1
}

// A room is how the tokens of a window are shared out.
type room struct {
	window int
	reply  int // kept for the reply
}

// prompt is how many tokens a prompt may have.
func (r room) prompt() int { return max(r.window-r.reply, 0) }

func (r room) share(f float64) int { return int(f * float64(r.prompt())) }
