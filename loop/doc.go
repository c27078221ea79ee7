// Package loop drives a model through the text protocol: it fits the context,
// asks the model, decides by the content of the reply, runs the calls and
// records what happened, until there is an answer or a stated reason to stop.
//
// An [Agent] is the configuration of a run; its zero value with a Model works.
// [Agent.Run] blocks and always returns a [Result]. [Agent.Events] is the same
// run as an iterator; leaving it cancels the run.
//
// What the model is told is plain text: the tools and the protocol in the
// system message, results in user turns. package parse reads the replies.
package loop
