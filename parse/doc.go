// Package parse reads what a language model wrote and says what it means: a
// [Call] of a tool, a [Final] answer, or an [Unparseable] reply that has to be
// asked for again.
//
// # Vocabulary
//
// A reply is the whole text of one model turn. A marker is text that says "a
// call follows": a tag, a token, a fence. A dialect is one way of writing a
// call; see the Dialect constants. A name is registered when [Options.Tools]
// lists it. A repair changes the spelling of a call, never its content. A call
// is void when it is complete but the reply as a whole must not be run.
//
// Start with [Parse]. Use a [Scanner] to read a reply while it is generated.
package parse
