package parse

// An Event is what a [Scanner] read; one of [TextEvent], [ThinkingEvent],
// [CallEvent], [DropEvent], [RetractEvent] and [StopEvent]. The spans of the
// first four are adjacent and cover the reply.
//
// An event says what was read; only [Scanner.Close] says what the reply is.
type Event interface{ event() }

type (
	// TextEvent is prose. It begins and ends between runes.
	TextEvent struct {
		Span Span
		Text string
	}
	// ThinkingEvent is part of a thinking block.
	ThinkingEvent struct {
		Span Span
		Text string
	}
	// CallEvent is a complete call, sent when its outermost wrapper closed.
	// The bytes of the call never change afterwards.
	CallEvent struct {
		Span  Span // of the call and its wrapper
		Index int
		Call  Call
	}
	// DropEvent is a span that is neither text nor call.
	DropEvent struct {
		Span   Span
		Reason string
	}
	// RetractEvent says that all sent so far was thought: a closing tag came
	// whose opening tag the prompt template had written.
	RetractEvent struct{}
	// StopEvent says that nothing that follows can matter: generation may be
	// cancelled.
	StopEvent struct{}
)

func (TextEvent) event()     {}
func (ThinkingEvent) event() {}
func (CallEvent) event()     {}
func (DropEvent) event()     {}
func (RetractEvent) event()  {}
func (StopEvent) event()     {}
