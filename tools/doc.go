// Package tools says what a tool is, keeps a set of them, checks arguments and
// runs calls with one exit for every failure.
//
// A [Tool] is data and one function. [New] makes one from an ordinary Go
// function; its JSON Schema comes from the argument struct. A [Set] holds the
// tools of a run. [Set.Do] runs a call and always returns one [Result],
// whatever happens: unknown tool, invalid arguments, an error, a panic, a time
// limit, a cancelled context. Error texts are written for the model: what
// happened, what exists instead, what to do next.
package tools
