package parse

// A Scanner reads a reply piece by piece. How the reply is cut into pieces
// never changes the result.
type Scanner struct {
	o    Options
	text string
}

// NewScanner returns a scanner for one reply.
func NewScanner(o Options) *Scanner { return &Scanner{o: o} }

// Feed reads the next piece of the reply and returns what became certain. The
// returned slice is valid until the next call.
func (s *Scanner) Feed(chunk string) []Event { s.text += chunk; return nil }

// Close ends the reply and returns its reading.
func (s *Scanner) Close(f Finish) Result { return Result{Outcome: Final, Text: s.text} }

// Reset makes the scanner ready for another reply with the same options.
func (s *Scanner) Reset() { s.text = "" }
