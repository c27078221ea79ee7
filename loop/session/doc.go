// Package session is the log of a run as JSON lines: what stream-json prints,
// written to a file, read back, resumed, read again with today's parser.
//
// [Encoder] turns the events of package loop into lines. [Create] and [Open]
// give a [Log], a file that only one process appends to. [Read] rebuilds the
// conversation from any prefix of the bytes of a log. [List], [Latest], [Find]
// and [Remove] work on a folder of logs, [Replay] and [WriteCorpus] on the
// replies in one.
//
//	l, err := session.Create(dir)
//	if err != nil {
//		return err
//	}
//	defer l.Close()
//	l.Header.Model = "gemma3:4b"
//	agent := &loop.Agent{Model: m, Record: l.Write} // a failed write ends the run
//
// # Lines
//
// A line is one JSON object and its newline, in a log at most 64 MiB. Every line
// has
//
//	v      1, the version of this format
//	type   what the line says, see below
//	seq    1, 2, 3, … within one log or stream
//	ts     when it was written: UTC, RFC 3339 with milliseconds
//	step   the step it belongs to, from 1 in every run; 0 before the first
//
// and the fields of its type. Durations are whole milliseconds and end in _ms.
// Readers must ignore fields and types they do not know: both may be added
// within a version, none is renamed or removed. A run begins with init and ends
// with result; a log holds one run after the other.
//
//	init         session, version, model, digest, host, dialect, num_ctx (asked
//	             for), window (in effect), cwd, approve; tools (names), schemas
//	             (of their arguments, by name), in_thought, expect_json: how
//	             replies are read
//	message      role: user or assistant; content: exactly what was said.
//	             user: kind (task, steer, note, …). assistant: finish (stop,
//	             length, unknown), aborted, usage
//	text         delta: prose of the reply as it comes
//	thinking     delta
//	retract      the text of this step so far was thought, or is void
//	parse        the reading of the assistant message before it: kind (call,
//	             final, unparseable), dialect (of the first call), calls (id,
//	             name, args, dialect, repaired, echo, start, end), repairs (code,
//	             offset), leftovers (start, end, reason), void (calls that must
//	             not run), problem (reason, offset, expected, found), text (the
//	             answer, or the prose around the calls), thinking
//	tool_use     id, name, args (an object, as the tool gets it), dialect,
//	             repaired, echo. Every call has one before its result; unstarted
//	             if it never ran, or shared the run of an equal call
//	approval     id, name, decision (allowed, forbidden, refused, rejected), by,
//	             reason
//	tool_result  id, name, status, output, truncated, digest, coerced,
//	             exit_code, diff, stack (of a panic), duration_ms
//	warning      code, message
//	retry        kind: reply (it could not be used: attempt, reason, offset,
//	             expected, found, schema) or model (the server failed in passing:
//	             attempt, delay_ms, message); what the step had so far is void
//	compact      tier (snip, microcompact, summarize, or a word of the program:
//	             undo, …), before, after (tokens); entries: the conversation as
//	             it now stands, which takes the place of all before it
//	step         the end of a step: continue, calls, failures, retries, repairs,
//	             cuts, compactions, of the last one before and after, suspended
//	             (calls without a result), usage, window, tokens; total: steps of
//	             the whole log
//	error        code (the stop reason), message, retryable
//	result       status (success, limit, denied, interrupted, timeout, error),
//	             exit_code, stop, answer, cut, raw, advice, error, steps, total,
//	             tool_calls, repairs, refused, usage (prompt_tokens,
//	             output_tokens, load_ms, eval_ms), duration_ms, session
//
// A [Log] leaves out text, thinking and retract: message and parse have it all.
//
// # Bytes
//
// JSON holds text, and a model may write bytes that are none. Content that is
// not valid UTF-8 stands twice: readable, with U+FFFD for the bad bytes, and
// exactly, in raw_base64 (of output: output_base64).
//
// # Guarantees
//
// Each event is written whole before [Log.Write] returns, and is on disk when
// a step has ended. A line that was torn by a crash loses only itself: [Open]
// cuts it off before it appends. From any prefix of a log [Read] makes a
// conversation that package loop can go on with: it begins with a user, no two
// replies are neighbours, and every call has exactly one result; a call whose
// result was lost is answered with what is known of it.
package session
