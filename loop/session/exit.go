package session

import "github.com/localagent/localagent/loop"

// ExitCode is the exit status that fits how a run ended, as far as its result
// tells: 0 an answer, 1 a hook or the log, 3 a limit, 4 an approval that was
// missing or refused, 5 no usable reply, 6 the model's server, 124 the time
// limit, 130 an interrupt.
func ExitCode(r *loop.Result) int {
	switch r.Stop {
	case loop.StopFinal:
		if r.Refused > 0 {
			return 4
		}
		return 0
	case loop.StopMaxSteps, loop.StopLoopGuard, loop.StopBudget:
		return 3
	case loop.StopDenied:
		return 4
	case loop.StopUnparseable, loop.StopEmpty, loop.StopOutputCut, loop.StopOverflow, loop.StopUnfit:
		return 5
	case loop.StopModelError:
		return 6
	case loop.StopTimeout:
		return 124
	case loop.StopAbortedModel, loop.StopAbortedTools:
		return 130
	}
	return 1
}

// statusOf is the word for an exit status.
func statusOf(code int) string {
	switch {
	case code == 0:
		return "success"
	case code == 3:
		return "limit"
	case code == 4:
		return "denied"
	case code == 124:
		return "timeout"
	case code > 128:
		return "interrupted"
	}
	return "error"
}

// retryable says whether the same run may end otherwise the next time, with
// nothing changed.
func retryable(s loop.Stop) bool {
	switch s {
	case loop.StopModelError, loop.StopTimeout, loop.StopAbortedModel, loop.StopAbortedTools,
		loop.StopUnparseable, loop.StopEmpty:
		return true
	}
	return false
}
