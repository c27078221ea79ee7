package loop

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/localagent/localagent/parse"
)

// messages is the conversation as the model sees it: system first and only
// there, then user and assistant in turn. Any entries give such a list.
//
// Entries that follow one another in one role become one message. As entries
// are only ever added, the messages of a step begin with those of the step
// before, byte for byte: the server's prefix cache lives on that.
func messages(system string, entries []Entry) []Message {
	var b messageList
	if system != "" {
		b.list = append(b.list, Message{Role: System, Content: system})
	}
	for i := range entries {
		if text := entries[i].content(); text != "" {
			b.add(entries[i].Role, text)
		}
	}
	b.flush()
	return b.list
}

// content is what the model sees of an entry; "" when it sees nothing. The
// user's words were defused when they joined. An entry of another role, as in a
// log that was damaged, is of nobody.
func (e *Entry) content() string {
	if e.Role != User && e.Role != Assistant {
		return ""
	}
	switch e.Kind {
	case KindAborted:
		return ""
	case KindResults:
		return renderResults(e)
	case KindSummary:
		return summaryLead + parse.Defuse(e.Text)
	}
	return e.Text
}

func renderResults(e *Entry) string {
	var b strings.Builder
	for i, r := range e.Results {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(parse.RenderResult(r.Name, string(r.Status), r.Text))
	}
	return b.String()
}

// userSpokeLast reports whether the model has something to reply to.
func userSpokeLast(entries []Entry) bool {
	for i := len(entries) - 1; i >= 0; i-- {
		if entries[i].content() != "" {
			return entries[i].Role == User
		}
	}
	return false
}

// messageList joins neighbours of one role. Chat templates that want roles to
// alternate refuse the conversation otherwise.
type messageList struct {
	list  []Message
	role  Role
	parts []string
}

func (b *messageList) add(role Role, text string) {
	if role != b.role {
		b.flush()
		if role == Assistant && (len(b.list) == 0 || b.list[len(b.list)-1].Role != User) {
			b.list = append(b.list, Message{Role: User, Content: noteContinue})
		}
		b.role = role
	}
	b.parts = append(b.parts, text)
}

func (b *messageList) flush() {
	if len(b.parts) > 0 {
		b.list = append(b.list, Message{Role: b.role, Content: strings.Join(b.parts, "\n\n")})
		b.parts = b.parts[:0]
	}
}

// withReminder is the request with a line at the end of its last message, which
// is the user's. The request itself stays as it is.
func withReminder(ms []Message, line string) []Message {
	if line == "" || len(ms) == 0 {
		return ms
	}
	ms = slices.Clone(ms)
	ms[len(ms)-1].Content += "\n\n" + line
	return ms
}

// text is the entry of a prompt: each attachment in a block of its own, then
// the instruction, which small models follow best when it comes last. An
// attachment with a place of its own in the text stands there. All but the tags
// of the blocks is defused, so that no text can end its block or the turn.
func (p Prompt) text() string {
	var parts []string
	rest, done := p.Text, 0
	for _, a := range p.Attachments {
		if at := runeStart(p.Text, a.At); at > done {
			parts = append(parts, parse.Defuse(strings.TrimSpace(p.Text[done:at])))
			rest, done = strings.TrimSpace(p.Text[at:]), at
		}
		parts = append(parts, a.block())
	}
	if rest != "" {
		parts = append(parts, parse.Defuse(rest))
	}
	return strings.TrimRight(strings.Join(parts, "\n\n"), "\n")
}

// runeStart is the last place in s up to i where no rune is parted.
func runeStart(s string, i int) int {
	if i >= len(s) {
		return len(s)
	}
	for i > 0 && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}

const (
	stdinOpen, stdinClose = "<stdin>", "</stdin>"
	fileOpen, fileClose   = `<file name="`, "</file>"
)

// block frames the text of an attachment.
func (a Attachment) block() string {
	first, last := stdinOpen, stdinClose
	if a.Name != "stdin" {
		first, last = fileOpen+blockName.Replace(a.Name)+`">`, fileClose
	}
	return first + "\n" + parse.Defuse(strings.TrimSuffix(a.Text, "\n")) + "\n" + last
}

var blockName = strings.NewReplacer(`"`, "'", "\n", " ", "\r", " ", "<", "(", ">", ")")

// foreign is the part of a task that the user did not write: from its first
// block to the end of its last. The user's own words between blocks count as
// foreign too, which only makes the echo guard more careful.
func foreign(task string) string {
	first := strings.Index("\n\n"+task, "\n\n"+stdinOpen+"\n")
	if at := strings.Index("\n\n"+task, "\n\n"+fileOpen); at >= 0 && (first < 0 || at < first) {
		first = at
	}
	last := max(strings.LastIndex(task, "\n"+stdinClose), strings.LastIndex(task, "\n"+fileClose))
	if first < 0 || last < first {
		return ""
	}
	return parse.Restore(task[first:last])
}
