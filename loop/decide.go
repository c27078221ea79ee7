package loop

import "github.com/localagent/localagent/parse"

// A move is what follows from a reply.
type move uint8

const (
	moveAct     move = iota // run the calls
	moveAnswer              // the text is the answer
	moveGoOn                // the text was cut: ask for the rest
	moveNudge               // a bare announcement: ask to do it
	moveRetry               // unusable: a fresh request
	moveGiveUp              // unusable, and no request is left
	moveNoRest              // the same, of an answer whose beginning is there
	moveUnknown             // calls of tools that do not exist, again: the user had asked for such JSON
	moveSchema              // an answer that does not fit its schema: ask for one that does
)

// facts are what a decision depends on besides the reply.
type facts struct {
	retriesLeft bool // another fresh request may be sent
	stepsLeft   bool // another step may follow
	goneOn      int  // pieces of this answer that were cut and are there
	mayGoOn     bool // a cut answer may be gone on with
	nudged      bool // since the user last spoke
	unknown     bool // all calls name no tool, and the step before was the same
	fits        bool // the answer fits Agent.Schema, or there is none
}

// maxGoOn is how often a cut answer is gone on with.
const maxGoOn = 2

// decide says what follows from a reply. The content decides: calls are run
// whatever the finish reason says. An answer is only asked for again when a
// step is left for it.
func decide(r *parse.Result, finish parse.Finish, f facts) move {
	switch r.Outcome {
	case parse.Calls:
		if f.unknown {
			return moveUnknown
		}
		return moveAct
	case parse.Final:
		return decideAnswer(r, finish, f)
	}
	switch {
	case f.retriesLeft:
		return moveRetry
	case f.goneOn > 0:
		return moveNoRest
	}
	return moveGiveUp
}

func decideAnswer(r *parse.Result, finish parse.Finish, f facts) move {
	switch {
	case finish == parse.FinishLength && f.mayGoOn && f.stepsLeft:
		return moveGoOn
	case finish != parse.FinishLength && f.goneOn == 0 && !f.nudged && f.stepsLeft && announces(r.Text):
		return moveNudge
	case !f.fits && f.stepsLeft:
		return moveSchema
	case !f.fits:
		return moveGiveUp
	}
	return moveAnswer
}

// giveUp is why a run ends when its last reply could not be used.
func giveUp(reason parse.Reason, finish parse.Finish) Stop {
	switch reason {
	case parse.ReasonTruncated:
		if finish == parse.FinishLength {
			return StopOutputCut
		}
	case parse.ReasonEmpty, parse.ReasonUnfinishedThinking:
		return StopEmpty
	}
	return StopUnparseable
}

// minOverlap is the shortest text, in bytes, that counts as said twice where a
// cut answer goes on.
const minOverlap = 12

// joinPieces puts the pieces of a cut answer together. A model that goes on
// often says its last words again; they stand once.
func joinPieces(pieces []string) string {
	var text string
	for _, p := range pieces {
		text += p[overlap(text, p):]
	}
	return text
}

// overlap is the length of the longest beginning of next that is also the end
// of text; 0 when it is too short to be more than chance.
func overlap(text, next string) int {
	const most = 512
	for n := min(len(text), len(next), most); n >= minOverlap; n-- {
		if text[len(text)-n:] == next[:n] {
			return n
		}
	}
	return 0
}
