package parse

import (
	"bytes"
	"slices"
	"sync"
	"unicode/utf8"
)

// A Scanner reads a reply chunk by chunk. How the reply is cut into chunks
// never changes the result. It looks at each byte a bounded number of times and
// keeps no more than the reply and one copy of the call at hand.
//
// Make one with [NewScanner], for one goroutine.
type Scanner struct {
	o   Options
	reg registry

	text  string // the reply so far
	buf   []byte // holds the bytes of text once there were two chunks
	eof   bool
	muted bool // nobody asks for events
	wait  wait

	scanState
	beforeMid *scanState // what it was where mid was opened: closing that thought goes back to it
	read      reader
	room      room
	pieces
	events []Event
}

// NewScanner returns a scanner for one reply.
func NewScanner(o Options) *Scanner {
	s := &Scanner{}
	s.init(o)
	return s
}

func (s *Scanner) init(o Options) {
	s.o = o
	if !sameTools(s.reg.tools, o.Tools) {
		s.reg = registry{tools: cloneTools(o.Tools)}
	}
	s.start()
}

// sameTools reports whether what is known of a stays true of b: [Parse] is
// mostly called with the same tools again.
func sameTools(a, b []Tool) bool {
	return slices.EqualFunc(a, b, func(x, y Tool) bool {
		return x.Name == y.Name && bytes.Equal(x.Parameters, y.Parameters)
	})
}

// cloneTools copies tools, whose schemas their owner may write over.
func cloneTools(tools []Tool) []Tool {
	tools = slices.Clone(tools)
	for i := range tools {
		tools[i].Parameters = bytes.Clone(tools[i].Parameters)
	}
	return tools
}

// start sets the scanner to the beginning of a reply.
func (s *Scanner) start() {
	s.text, s.eof, s.wait = "", false, wait{}
	s.scanState.start(s.o)
	s.read.reg, s.read.eof = &s.reg, false
	s.room.call[0] = found{}
	s.pieces.start()
	s.events = s.events[:0]
}

// Reset makes the scanner ready for another reply with the same options.
// Results and strings it gave before stay valid.
func (s *Scanner) Reset() {
	read := len(s.text)
	s.start()
	// What was handed out is never written again: the buffer goes on behind it.
	s.buf = s.buf[len(s.buf):]
	if read > cap(s.buf) {
		s.buf = make([]byte, 0, min(16*read, max(read, 1<<20)))
	}
}

// Feed reads the next chunk of the reply and returns what became certain. The
// returned slice is valid until the next call; the strings in it stay. After
// [Scanner.Close] nothing is read until [Scanner.Reset].
func (s *Scanner) Feed(chunk string) []Event {
	s.events = s.events[:0]
	switch {
	case s.wait.ends != nil && len(s.text)+len(chunk) <= maxSize: // first, as it is true of most chunks of a long call
		if s.append(chunk); s.waitsOn(chunk) || s.allEscaped(chunk) {
			return nil
		}
		s.wait.ends = nil
	case chunk == "" || s.eof || s.state == stOver && s.over == dropTooLarge:
		return nil
	case len(s.text)+len(chunk) > maxSize:
		s.tooLarge()
		return s.events
	case (s.state == stText || s.state == stThink) && s.extends(chunk):
		return s.events
	default:
		s.append(chunk)
	}
	if s.state == stCandidate && !s.inCandidate() {
		return nil // it goes on, and nothing else has changed
	}
	s.run()
	s.release()
	s.emit()
	return s.events
}

// extends takes a chunk that only continues the prose or the thought before it.
// Most chunks of most replies do, and they need no further look. It reports
// false, and has done nothing, for any other.
func (s *Scanner) extends(chunk string) bool {
	n := len(s.text)
	if s.done != n {
		return false // some of the text before is no piece yet
	}
	if s.reactThought {
		return false // labels may stand within lines
	}
	kind, ends, thought := EventText, proseEnds, s.state == stThink
	if thought {
		kind, ends = EventThinking, needles
	}
	if ends.In(chunk) {
		return false // something may begin in it
	}
	if s.sent != n || s.held >= 0 || n+len(chunk) >= s.repeatCheck {
		return false // events wait, or repetition has to be looked for
	}
	if len(s.buf) != n || n+len(chunk) > cap(s.buf) {
		return false // the buffer does not hold the text, or has no room for more
	}
	if thought != (s.last.kind == pieceThink) || !thought && (s.last.kind != pieceText || s.lead || s.buf[n-1] == '\n') {
		return false // it does not go on with the last piece, or may begin a line
	}
	if chunk[len(chunk)-1] >= utf8.RuneSelf && cutRune(chunk, len(chunk)) < len(chunk) {
		return false // it ends within a rune
	}
	s.buf = append(s.buf, chunk...)
	s.text = view(s.buf)
	end := len(s.buf)
	s.pos, s.done, s.last.end, s.sent = end, end, end, end
	s.events = append(s.events, Event{Kind: kind, Span: Span{n, end}, Text: s.text[n:]})
	return true
}

// append adds a chunk to the text.
func (s *Scanner) append(chunk string) {
	if len(s.buf) == 0 && s.takeFirst(chunk) {
		return
	}
	s.buf = append(s.buf, chunk...)
	// Bytes of the buffer are written once, so they may be read as a string.
	s.text = view(s.buf)
}

// takeFirst takes the first chunk as it is, without a copy. When the second comes it
// copies the first into the buffer and reports false.
func (s *Scanner) takeFirst(chunk string) bool {
	if s.text == "" {
		s.text = chunk
		return true
	}
	if need := len(s.text) + len(chunk); need > cap(s.buf) {
		s.buf = make([]byte, 0, 2*need)
	}
	s.buf = append(s.buf, s.text...)
	return false
}

// Close ends the reply and returns its reading. [Scanner.Rest] gives the events
// that were still held back.
func (s *Scanner) Close(f Finish) Result {
	s.events = s.events[:0]
	if s.state != stOver || s.over != dropTooLarge {
		s.eof, s.wait.ends = true, nil
		s.run()
		s.end(f)
	}
	return s.decide(f)
}

// Parse reads a whole reply. It is a [Scanner] fed with all of it, then closed.
// Goroutines may call it at the same time.
func Parse(text string, o Options, f Finish) Result {
	s := scanners.Get().(*Scanner)
	defer s.recycle()
	s.init(o)
	s.muted = true
	s.Feed(text)
	return s.Close(f)
}

// scanners are used again by Parse, so that a reply without a call costs no
// memory. No result points into one.
var scanners = sync.Pool{New: func() any { return new(Scanner) }}

// recycle gives the scanner back without what belongs to its caller.
func (s *Scanner) recycle() {
	if len(s.text) > maxKept {
		*s = Scanner{reg: s.reg}
	}
	s.start()
	s.o, s.read.text, s.beforeMid = Options{}, "", nil
	scanners.Put(s)
}

// maxSize is the longest reply that is read, in bytes.
const maxSize = 1 << 30

// maxKept is the longest reply whose buffers are kept for another, in bytes.
const maxKept = 64 << 10

// tooLarge ends a reply that is larger than any that is read. What was not
// certain by then counts as nothing.
func (s *Scanner) tooLarge() {
	s.fault(ReasonTooLarge, len(s.text), "at most 1 GiB")
	s.dissolve()
	s.endAt(s.done, dropTooLarge)
	s.add(pieceDrop, len(s.text), s.over)
	s.emit()
}

// Rest returns the events of what was held back until [Scanner.Close]. Call it
// after that only, once; the slice is valid until the next call.
func (s *Scanner) Rest() []Event {
	s.held = -1
	s.emit()
	return s.events
}
