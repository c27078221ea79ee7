package parse

import (
	"encoding/binary"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
	"unsafe"
)

// A Scanner reads a reply piece by piece. How the reply is cut into pieces
// never changes the result. It looks at each byte a bounded number of times and
// keeps no more than the reply and one copy of the call at hand.
//
// Make one with [NewScanner].
type Scanner struct {
	o   Options
	reg registry

	text  string // the reply so far
	buf   []byte // what text stands in, once there were two pieces
	eof   bool
	muted bool // nobody asks for events

	needles needles
	lex
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
		s.reg = registry{tools: slices.Clone(o.Tools)}
	}
	s.start()
}

// sameTools reports whether what is known of a stays true of b: [Parse] is
// mostly called with the same tools again.
func sameTools(a, b []Tool) bool {
	return slices.EqualFunc(a, b, func(x, y Tool) bool {
		return x.Name == y.Name && len(x.Parameters) == len(y.Parameters) &&
			unsafe.SliceData(x.Parameters) == unsafe.SliceData(y.Parameters)
	})
}

// start sets the scanner to the beginning of a reply.
func (s *Scanner) start() {
	s.text, s.eof = "", false
	s.needles = needles{}
	s.lex.start(s.o)
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

// Feed reads the next piece of the reply and returns what became certain. The
// returned slice is valid until the next call; the strings in it stay.
func (s *Scanner) Feed(chunk string) []Event {
	s.events = s.events[:0]
	if chunk == "" || s.state == stOver && s.over == overTooLarge {
		return nil
	}
	if len(s.text)+len(chunk) > maxSize {
		s.tooLarge()
		return s.events
	}
	if s.goesOn(chunk) {
		return s.events
	}
	s.append(chunk)
	s.run()
	s.release()
	s.emit()
	return s.events
}

// goesOn takes a piece that only continues the prose before it. Most pieces of
// most replies do; nothing else need look at them.
func (s *Scanner) goesOn(chunk string) bool {
	n := len(s.text)
	if s.state != stText || s.lead || s.done != n || s.sent != n || len(s.buf) != n || n+len(chunk) >= s.check ||
		s.held >= 0 || s.last.kind != pieceText || n+len(chunk) > cap(s.buf) || s.buf[n-1] == '\n' {
		return false
	}
	for i := range len(chunk) {
		if !isPlain[chunk[i]] {
			return false
		}
	}
	s.buf = append(s.buf, chunk...)
	s.text = unsafe.String(unsafe.SliceData(s.buf), len(s.buf))
	end := len(s.buf)
	s.pos, s.done, s.last.end, s.sent = end, end, end, end
	s.events = append(s.events, Event{Kind: EventText, Span: Span{n, end}, Text: s.text[n:]})
	return true
}

// isPlain are the bytes that begin nothing in the middle of a line.
var isPlain = func() (t [256]bool) {
	for c := range utf8.RuneSelf {
		t[c] = !isNeedle[c] && c != '\n'
	}
	return t
}()

// append adds a piece to the text. The first is taken as it is.
func (s *Scanner) append(chunk string) {
	if s.text == "" {
		s.text = chunk
		return
	}
	if len(s.buf) == 0 {
		if need := len(s.text) + len(chunk); need > cap(s.buf) {
			s.buf = make([]byte, 0, 2*need)
		}
		s.buf = append(s.buf, s.text...)
	}
	s.buf = append(s.buf, chunk...)
	// Bytes of the buffer are written once, so they may be read as a string.
	s.text = unsafe.String(unsafe.SliceData(s.buf), len(s.buf))
}

// Close ends the reply and returns its reading.
func (s *Scanner) Close(f Finish) Result {
	s.events = s.events[:0]
	if s.state != stOver || s.over != overTooLarge {
		s.eof = true
		s.run()
		s.end(f)
	}
	return s.decide(f)
}

// Parse reads a whole reply. It is a [Scanner] fed with all of it, then closed.
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
	if cap(s.read.out) > maxKept {
		s.read = reader{}
	}
	if cap(s.calls) > maxCalls {
		s.calls = nil
	}
	s.start()
	scanners.Put(s)
}

// maxKept is the largest buffer that is kept for another reply.
const maxKept = 64 << 10

// needles remembers where the next byte of each kind is that may begin
// something, so that each search passes over a byte once.
type needles struct {
	next [1 + len(loneNeedles)]int // offset, or the end of what was searched
	end  int                       // how far was searched
}

// needleBytes are the bytes that may begin something: objects, lists, tags,
// fences and spans, words at the start of a line, and the middle byte of ◁.
//
// The first six have in common that their lower five bits are those of z or
// beyond, which is rare in prose, so they are looked for together.
const (
	needleBytes = "{[<~>:" + loneNeedles
	loneNeedles = "`\x97"
)

var isNeedle = func() (t [256]bool) {
	for i := range len(needleBytes) {
		t[needleBytes[i]] = true
	}
	return t
}()

// needleBlock is how much is searched for each needle in turn: it stays in the
// fastest cache.
const needleBlock = 16 << 10

// find returns the offset of the first needle at or after pos, or len(text).
func (n *needles) find(text string, pos int) int {
	for pos < len(text) {
		if len(text)-pos < 64 {
			for pos < len(text) && !isNeedle[text[pos]] {
				pos++
			}
			return pos
		}
		if pos >= n.end {
			n.end = min(pos+needleBlock, len(text))
			for i := range n.next {
				n.next[i] = n.search(text, pos, i)
			}
		}
		first := n.end
		for i, at := range n.next {
			if at < pos {
				at = n.search(text, pos, i)
				n.next[i] = at
			}
			first = min(first, at)
		}
		if first < n.end {
			return first
		}
		pos = n.end
	}
	return pos
}

func (n *needles) search(text string, pos, i int) int {
	if i == 0 {
		return searchGroup(text[:n.end], pos)
	}
	if at := strings.IndexByte(text[pos:n.end], loneNeedles[i-1]); at >= 0 {
		return pos + at
	}
	return n.end
}

// searchGroup returns the offset of the first of { [ < ~ > : at or after pos, or
// len(text). It looks at 32 bytes at once: adding 6 to the lower five bits of
// each carries into the sixth for all of them, and for little else.
func searchGroup(text string, pos int) int {
	const (
		ones  = 0x0101010101010101
		lower = 0x1F * ones
		carry = 0x20 * ones
	)
	bytes := unsafe.Slice(unsafe.StringData(text), len(text))
	for ; pos+32 <= len(text); pos += 32 {
		w := bytes[pos : pos+32 : pos+32]
		a, b := binary.LittleEndian.Uint64(w), binary.LittleEndian.Uint64(w[8:])
		c, d := binary.LittleEndian.Uint64(w[16:]), binary.LittleEndian.Uint64(w[24:])
		hit := (a&lower + 6*ones) | (b&lower + 6*ones) | (c&lower + 6*ones) | (d&lower + 6*ones)
		if hit&carry == 0 {
			continue
		}
		// Bytes beyond ASCII do not count.
		hit = (a&lower+6*ones)&^(a>>2) | (b&lower+6*ones)&^(b>>2) | (c&lower+6*ones)&^(c>>2) | (d&lower+6*ones)&^(d>>2)
		if hit&carry == 0 {
			continue
		}
		for i, c := range w {
			if isGrouped[c] {
				return pos + i
			}
		}
	}
	for pos < len(text) && !isGrouped[text[pos]] {
		pos++
	}
	return pos
}

// isGrouped are the needles that searchGroup looks for.
var isGrouped = func() (t [256]bool) {
	for i := range len(needleBytes) - len(loneNeedles) {
		t[needleBytes[i]] = true
	}
	return t
}()
