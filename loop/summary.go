package loop

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/localagent/localagent/parse"
)

const summaryLead = "The work so far, in short (older messages were removed to save room):\n"

//go:embed summary.md
var summaryPrompt string

// summaryMessages ask for a summary of entries. The conversation is told as
// text, so that the model does not go on with it. Results are shortened until
// it is at most room bytes; the rest is cut in the middle.
func summaryMessages(entries []Entry, room int) []Message {
	text := ""
	for _, most := range []int{2000, 500, 120} {
		if text = retell(entries, most); len(text) <= room {
			break
		}
	}
	return []Message{
		{Role: System, Content: strings.TrimSpace(summaryPrompt)},
		{Role: User, Content: "<record>\n" + parse.Defuse(clipMiddle(parse.Restore(text), room)) + "\n</record>\n\nWrite the summary now, under the five headings."},
	}
}

// minRecord is how much is told at least, in bytes.
const minRecord = 512

// summaryMessages tells as much as fits: some text has more tokens for its bytes
// than most.
func (r *run) summaryMessages(entries []Entry, tokens int) []Message {
	for room := r.est.bytes(tokens); ; room = room * 3 / 4 {
		ms := summaryMessages(entries, max(room, minRecord))
		if room <= minRecord || r.est.messages(ms) <= tokens {
			return ms
		}
	}
}

// retell is a conversation as plain text, each result at most n bytes.
func retell(entries []Entry, n int) string {
	var b strings.Builder
	for _, e := range entries {
		switch e.Kind {
		case KindReply:
			fmt.Fprintf(&b, "ASSISTANT: %s\n", e.Text)
		case KindResults:
			for _, r := range e.Results {
				fmt.Fprintf(&b, "RESULT of %s (%s): %s\n", r.Name, r.Status, clipMiddle(r.Text, n))
			}
		case KindSummary:
			fmt.Fprintf(&b, "EARLIER SUMMARY: %s\n", e.Text)
		case KindTask, KindSteer:
			fmt.Fprintf(&b, "USER: %s\n", clipMiddle(e.Text, 2*n))
		}
	}
	return b.String()
}

// clipMiddle is the text in at most about n bytes: its beginning and end, cut
// between runes, with a word of what is missing.
func clipMiddle(s string, n int) string {
	if len(s) <= n {
		return s
	}
	head := strings.ToValidUTF8(s[:n*2/3], "")
	tail := strings.ToValidUTF8(s[len(s)-n/3:], "")
	return fmt.Sprintf("%s\n[… %d bytes left out …]\n%s", head, len(s)-len(head)-len(tail), tail)
}

// summarize replaces the older part of the conversation by a summary that the
// model writes. Two that did not help end the run.
func (r *run) summarize(n newest) *stopped {
	if left := r.state.Tokens; left <= r.room.prompt() && left <= r.tried+r.room.share(retryAt) {
		return nil
	}
	cut := older(r.t.Entries, n)
	if r.state.Tokens-r.tokensOf(summarized(r.t.Entries, cut, "")) < minGain {
		return nil // too little to gain
	}
	text, stop := r.summary(r.t.Entries[:cut])
	if stop != nil {
		return stop
	}
	entries := summarized(r.t.Entries, cut, text)
	if text != "" && r.state.Tokens-r.tokensOf(entries) >= minGain {
		r.echo.hear(text)
		r.apply("summarize", entries)
		r.tried, r.useless = 0, 0
		return nil
	}
	r.useless++
	r.tried = r.state.Tokens
	r.emit(Warned{"compaction", "a summary of the older messages did not save enough room"})
	if r.useless < maxUseless {
		return nil
	}
	return stopf(StopUnfit, "%d summaries in a row did not make room: about %d tokens, %d fit", r.useless, r.state.Tokens, r.room.prompt())
}

// summary asks the model for a summary; "" when it wrote nothing of use.
func (r *run) summary(entries []Entry) (string, *stopped) {
	reply := max(r.room.window/8, 64)
	req := &Request{Messages: r.summaryMessages(entries, r.room.window-reply), NoThink: true}
	var stop *stopped
	if req.MaxOutput, stop = r.afford(r.est.messages(req.Messages), reply); stop != nil {
		return "", stop
	}
	var text string
	tooLong, stop := r.persist(func() (err error) {
		text, err = r.writeSummary(req)
		return err
	})
	if tooLong != nil {
		return "", nil
	}
	return text, stop
}

// writeSummary makes one attempt. Its text is read like any reply, so that
// thought does not become part of the summary; calls are none of it.
func (r *run) writeSummary(req *Request) (string, error) {
	ctx, cancel := context.WithCancel(r.ctx)
	defer cancel()
	s := parse.NewScanner(parse.Options{})
	rep := &reply{}
	for ch, err := range r.a.Model.Stream(ctx, req) {
		if err != nil {
			return "", err
		}
		rep.size += ch.size()
		rep.raw.WriteString(ch.Text)
		rep.thought.WriteString(ch.Thinking)
		s.Feed(ch.Text)
		if rep.size > minReplyBytes {
			r.use(req, rep)
			return "", nil
		}
		if ch.Done != nil {
			rep.done = ch.Done
			break
		}
	}
	if rep.done == nil {
		return "", ErrNoTerminal
	}
	r.use(req, rep)
	return parse.Restore(strings.TrimSpace(s.Close(rep.done.Finish).Text)), nil
}
