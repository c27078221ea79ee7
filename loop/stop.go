package loop

import (
	"context"
	"errors"
	"fmt"
)

// Stop is why a run ended.
type Stop string

const (
	StopFinal        Stop = "final"                 // an answer
	StopLoopGuard    Stop = "loop_guard"            // the same step again
	StopMaxSteps     Stop = "max_steps"             // Agent.MaxSteps requests made
	StopUnparseable  Stop = "unparseable"           // no usable reply after the fresh requests
	StopEmpty        Stop = "empty"                 // the same, and nothing but thought in it
	StopOutputCut    Stop = "output_cut"            // the same, cut by the output limit each time
	StopOverflow     Stop = "context_overflow"      // the prompt does not fit and nothing can be left out
	StopUnfit        Stop = "context_unrecoverable" // it still does not fit after compaction
	StopDenied       Stop = "denied"                // a person said no
	StopAbortedModel Stop = "aborted_model"         // cancelled while the model wrote
	StopAbortedTools Stop = "aborted_tools"         // cancelled while tools ran
	StopTimeout      Stop = "timeout"               // the deadline of the context
	StopBudget       Stop = "budget"                // Agent.MaxTokens spent
	StopModelError   Stop = "model_error"           // the model's server failed
	StopHook         Stop = "hook"                  // a hook said so
	StopSession      Stop = "session_error"         // Agent.Record failed
)

// advice is one sentence for each stop: what the user can do. Of a model error
// the error itself often knows better; see [ModelError].
var advice = map[Stop]string{
	StopFinal:        "",
	StopLoopGuard:    "Ask in other words or with more detail, or switch the loop guard off if repeating is right here.",
	StopMaxSteps:     "Raise the step limit, or split the task into smaller ones.",
	StopUnparseable:  "Ask again, or try another dialect or a larger model.",
	StopEmpty:        "Ask again, switch thinking off, or try a larger model.",
	StopOutputCut:    "Raise the output limit or the context window, or ask for smaller pieces.",
	StopOverflow:     "Shorten the prompt or its attachments, or raise the context window.",
	StopUnfit:        "Raise the context window, or split the task.",
	StopDenied:       "The call was not run; say what should be done instead.",
	StopAbortedModel: "The run was cancelled while the model wrote; go on with the session or ask again.",
	StopAbortedTools: "The run was cancelled while tools ran; check what they had done before going on.",
	StopTimeout:      "Allow more time, or give a smaller task.",
	StopBudget:       "Raise the token budget, or give a smaller task.",
	StopModelError:   "Check the model's server and ask again.",
	StopHook:         "A hook of the program that started the run ended it.",
	StopSession:      "Make room or set the permissions for the session log, or run without one.",
}

// errNoModel is a mistake of the program.
var errNoModel = errors.New("loop: Agent.Model is nil")

// errLeft is the cause when the consumer of [Agent.Events] leaves.
var errLeft = errors.New("loop: nobody listens any more")

// errHookStop is the cause when [Hooks.StopAfterStep] says stop.
var errHookStop = errors.New("loop: stopped after the step by a hook")

// stopped is how a stage ends the run: a reason and what is known of it.
type stopped struct {
	stop Stop
	err  error
	cure string // better advice than the table's; "": none
}

func stopf(s Stop, format string, args ...any) *stopped {
	return &stopped{stop: s, err: fmt.Errorf("loop: "+format, args...)}
}

// cancelled is the end of a run whose context ended; during says where.
func cancelled(ctx context.Context, during Stop) *stopped {
	cause := context.Cause(ctx)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		during = StopTimeout
	}
	err := ctx.Err()
	if cause != nil && !errors.Is(cause, err) {
		err = fmt.Errorf("%w: %w", err, cause)
	}
	return &stopped{stop: during, err: fmt.Errorf("loop: %s: %w", during, err)}
}
