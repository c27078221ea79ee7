// Package parse reads what a language model wrote and says what it means: a
// call of a tool, an answer, or a reply that cannot be used and has to be asked
// for again. It reads about thirty ways in which local models write calls, the
// slips of small ones included, and it never runs what a model only mentioned,
// quoted, drafted in a thought, did not finish or invented after a result.
//
// [Parse] reads a whole reply. A [Scanner] reads one while it is generated and
// tells at once what can no longer become a call. [Render] writes a call,
// [RenderResult] a result; [Defuse] makes foreign text safe to show to a model.
//
// # Vocabulary
//
// A reply is all that a model wrote in one turn. A name is registered if
// [Options.Tools] lists it; a respelling counts (case, the separators - _ .,
// a functions. prefix, a :0 suffix, a Markdown escape) if it means exactly one
// tool. A marker is text that says "a call follows". A hard marker, such as
// <tool_call>, [TOOL_CALLS] or a control token, must hold a call; a soft one,
// such as <response> or "Action:", counts only with a call behind it. A call is
// marked if it stands in a hard marker or in a fence that may hold calls, or is
// the whole reply. A call counts by-end if it is one only because the reply ends
// there: more text could have turned it into prose. A repair changes the spelling
// of a call, never what it says.
//
// # Outcomes
//
//	one or more complete calls                            Calls, in order
//	calls or text, then an invented result or turn        what stood before it decides
//	text without call material                            Final
//	a call in a thought or in program text, or in a code
//	span of a sentence that goes on, with all other spans
//	on its line; a marker only mentioned                  Final
//	JSON without a registered name                        Final
//	a call that is cut, or a list of calls left open      Unparseable: truncated
//	calls, then one that is cut or cannot be read         Unparseable, the good ones in Void
//	a closed call that neither strict reading nor repair
//	can read                                              Unparseable: malformed
//	a list of calls, on the next line one more call
//	expression, then prose                                Unparseable: malformed
//	lists of calls on lines of their own, of which one
//	has a remark behind it, or calls no tool              Unparseable: malformed
//	call expressions in a marker, then other text         Unparseable: malformed
//	a marked call inside an object that never closes      Unparseable: malformed
//	arguments that are no object                          Unparseable: bad-args
//	a key twice with different values                     Unparseable: duplicate-key
//	two readings of one call                              Unparseable: ambiguous
//	a schema in place of arguments, or of their values    Unparseable: schema-echo
//	a ReAct action and a final answer behind it           Unparseable: react-conflict
//	the same again and again                              Unparseable: repetition
//	nothing but a thought, or a thought without end       Unparseable: empty, unfinished-thinking
//
// With [FinishLength] nothing counts by-end, and a call that touches the end of
// the text is truncated even if it is balanced.
//
// # What is read
//
// The name keys tool, tool_name, function_name, function, func, name and action,
// with the arguments keys args, arguments, parameters, params, input, tool_input
// and action_input, in any pairing; wrappers such as tool_calls and function;
// lists; objects whose keys are tools; arguments beside the name; arguments
// encoded as a string; a fence or a tag around any of these; tags with a parameter
// each; key and value pairs; Python's call expressions with literal arguments, raw
// strings too, comments beside them; ReAct's labels; the tokens of the model
// families that the Dialect constants name. Several of them in one reply are normal.
// A call inside an object that is no wrapper is data. A list of call expressions in
// prose counts on a line of its own: a label may stand before it, a full stop, a
// comment or a closer too many behind it. Each of them may stand in quotes or in a
// code span. Without a list, one in a code span counts as the whole reply, with
// arguments.
//
// # Guarantees
//
// Fuzz targets hold the package to these:
//
//  1. No panic and no recursion on the depth of the input; time and memory are
//     linear in it.
//  2. However a reply is cut into chunks, the [Result] is the same, and so are
//     the events once neighbouring text is joined.
//  3. The spans of the events are adjacent and cover the reply.
//  4. Arguments are always a valid JSON object: UTF-8, unique keys, digits and
//     order as written.
//  5. Parse(Render(call)) is the call, if its name is registered.
//  6. A call read from a prefix of a reply with [FinishLength] stands, equal, in
//     Calls or Void of the whole, unless the whole turns it into a thought.
//  7. A call's span, read alone, is exactly that call.
//  8. Each Unparseable has a reason and a place.
//  9. What is valid JSON is read as JSON, without repairs.
//  10. Text, thoughts, calls and dropped spans, in order, give back the reply. A
//     reply without marker, call, token or thought comes back unchanged.
//
// Limits: nesting of 256 levels, wrappers of 4; 256 calls of a list, 256 arguments
// between tags, 8 equal calls in a row; names of 64 bytes, tags and the indentation
// of a label of 256, headers of 512, a line of a command of 4 KiB, replies of 1 GiB.
//
// Text without a byte that may begin something is skipped 32 bytes at a time where
// the processor has AVX2, and eight bytes at a time elsewhere.
//
// # Adding a dialect
//
// A dialect whose shape is "marker, then a call in JSON or as an expression" is
// a row in the table markers, under the marker's name in lower case and without
// brackets, bars and namespace; a closing token is one more row. If calls in it
// should carry a name of their own, add a Dialect constant and name it in the
// row. Only a shape of its own needs code: a file that takes the scanner from a
// construct of text.go to named, tagArgs or a reader, as harmony.go and react.go do.
// Then write goldens, among them a cut call, a mention in a sentence and an
// invented result behind the call; the tests feed each at every split.
package parse

// How it works, for those who change it.
//
// A [Scanner] goes through the text in one pass, as a state machine: each state
// has a method, such as inFence, that reads on and reports false when it needs
// more text. In prose it jumps from needle to needle, the bytes that may begin a
// construct. A construct that may hold a call becomes a candidate, which a reader
// turns into canonical JSON; a judge says what that JSON means; where the candidate
// stands decides whether that counts. What has been settled is kept as pieces,
// from which events and the result are made.
//
// Words of the code:
//
//	chunk      what one Feed is given
//	piece      a part of the reply whose kind is known: text, thought, call, dropped
//	lead       where only white space stands behind a construct: a call may begin
//	           there without a bracket
//	prefix     a marker, a label or a fence that belongs to a call if one follows
//	candidate  an object, list or expression that is being read
//	named      a call whose name stands apart from its arguments, and before them
//	found      a call, with what it depends on
//	tentative  of calls: they count only if nothing but calls stands around them;
//	           until that is known they are a group, and held
//	fault      a reason not to run any call of the reply
//	facts      what a parser needs to know of a tool's schema
//	tri        no, maybe or yes; maybe waits for more text
//
// Where things stand:
//
//	the API            parse.go, event.go, dialect.go, repair.go, render.go (writing)
//	the scanner        scanner.go, state.go, wait.go (for what must come first),
//	                   release.go (what is certain), pieces.go, end.go (of the
//	                   text), decide.go (the result)
//	prose              text.go, line.go, label.go (at the start of a line),
//	                   span.go, fence.go, python.go (fences of it), comment.go,
//	                   think.go, turn.go (invented ones), repeat.go
//	markers            markers.go (the tables), tag.go (reading one), tags.go (acting
//	                   on one), marker.go (the hard marker that is open)
//	what begins a call opener.go, data.go (objects in prose), expression.go,
//	                   escaped.go, named.go, tagargs.go, react.go, harmony.go
//	a candidate        candidate.go, clues.go (of one that cannot be read), group.go,
//	                   behind.go (what stands directly behind a call)
//	the reader         read.go, nest.go (containers), members.go (keys), token.go,
//	                   number.go, strings.go, plain.go (the fast path for ordinary
//	                   JSON), whole.go (texts that are complete)
//	the judge          judge.go, shape.go (keys), list.go, args.go, names.go, schema.go
//	common             chars.go, canon.go (walking canonical JSON), values.go
