package parse

// An Event is something a [Scanner] read. It is one struct and not a set of
// types behind an interface, because a scanner fed with single tokens would
// otherwise allocate for each of them.
//
// The spans of text, thinking, call and drop events are adjacent and cover the
// reply. An event says what was read; only [Scanner.Close] says what the reply
// is, and whether a call that was sent is to be run.
type Event struct {
	Kind   EventKind
	Span   Span
	Text   string // of a text or thinking event
	Reason string // of a drop event, as in [Dropped]
	Index  int    // of a call event: its number among the calls, from 0, and from 0 again behind a retract event
	Call   *Call  // of a call event; its bytes never change, and the Result shares them
}

// EventKind says what an [Event] is.
type EventKind uint8

const (
	// EventText is prose. It begins and ends between runes.
	EventText EventKind = iota
	// EventThinking is part of a thinking block.
	EventThinking
	// EventCall is a complete call, sent when its outermost wrapper closed.
	EventCall
	// EventDrop is a span that is neither text nor call.
	EventDrop
	// EventRetract says that all sent so far was thought: a closing tag came
	// whose opening tag the prompt template had written. It has no span.
	EventRetract
	// EventStop says that nothing that follows can matter: generation may be
	// cancelled. It has no span.
	EventStop
)
