// Package loop drives a model through the text protocol until there is an
// answer or a stated reason to stop.
//
// An [Agent] is the configuration of a run; its zero value with a Model works.
// [Agent.Run] blocks and always returns a [Result]. [Agent.Events] is the same
// run as an iterator; leaving it cancels the run. The conversation is a
// [Transcript], plain data that can be kept and gone on with.
//
// # A step
//
// A step is one request and what follows from it:
//
//	fit     make the prompt fit the window: warn, compact, or refuse with both numbers
//	ask     stream the reply; failures that may pass are tried again
//	decide  by the content of the reply, whatever the finish reason says
//	act     run the calls: neighbouring ReadOnly ones in parallel, each other one alone
//	record  keep reply and results, one result for each call, in call order
//
// What a reply leads to:
//
//	calls                          run them, then the next step
//	text                           the answer
//	text, cut by the output limit  "go on", at most twice; joined, then marked as cut
//	a bare announcement            one nudge: "I will read the file now:" is no answer
//	not to be read, or empty       a fresh request, see below
//	more calls than results fit    the same
//	calls of unknown tools, twice  the answer: the user had asked for such JSON
//
// A fresh request has the same messages and nothing of the bad reply. As a
// server with a fixed seed would write the same again, each has other sampling,
// a line at its end that names the fault, and more room if the reply was cut;
// the last one is held to a JSON Schema of the allowed calls and an answer.
//
// # What the model sees
//
// A system message first and only there, then user and assistant in turn. The
// system message says what the tools are and how to call them (prompt.md).
// Results, notes and summaries are told by the user, because most chat templates
// drop or glue other roles. Text that neither the model nor the loop wrote is
// defused: it can neither end a turn nor fake a result. Entries are only ever
// added, so each request begins with the one before it, byte for byte, until a
// [Compacted] event: the server's prefix cache lives on that.
//
// # Limits
//
// Tokens are estimated, one for a Chinese, Japanese or Korean character and one
// for 3.5 bytes of other text, and the estimate is scaled by what the server
// counts. A quarter of the window, at most 4096 tokens, is kept for the reply;
// the rest is the room for the prompt. At 75 % of it, and of the steps, the
// model is told. Old context is shortened in one batch when 60 % are crossed
// and a tenth of the room can be gained: what was superseded goes, old results
// shrink to a line. At 80 % a summary takes the place of what is older than the
// last six entries, or than the last two when the prompt does not fit otherwise.
// The user's last task stays word for word, and what the model has not seen yet
// stays unless nothing else helps. One result may have a quarter of what is left,
// all of a step three quarters.
//
// The [Guard] compares a step with the one before it and with no other: longer
// cycles end at [Agent.MaxSteps].
//
// # Ends
//
// Each [Stop] has its own [Result].Advice. A cancelled run ends as
// aborted_model or aborted_tools: running tools get their context cancelled and
// some seconds of grace, calls that had not begun are recorded as skipped, and
// what is recorded last outlives the context.
package loop
