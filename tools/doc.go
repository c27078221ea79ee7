// Package tools says what a tool is, keeps a set of them, checks arguments and
// runs calls with one exit for every failure.
//
// A [Tool] is data and one function. [New] makes one from an ordinary Go
// function; its JSON Schema comes from the argument struct. A [Set] holds the
// tools of a run. [Set.Do] runs a call and always returns one [Result],
// whatever happens: unknown tool, invalid arguments, an error, a panic, a time
// limit, a cancelled context. Error texts are written for the model: what
// happened, what exists instead, what to do next. docs/tool-errors.md shows
// them all.
//
// # Arguments
//
// Arguments are first coerced, then checked. Coercion changes how an argument
// is spelled, never what it means, only where it does not fit as it stands, and
// it is recorded in [Result].Coerced:
//
//	"5", 5.0     for an integer              5
//	"2.5"        for a number                2.5
//	"true"       for a boolean, any case     true
//	42           for a string                "42", with the digits as written
//	"a"          for a list                  ["a"]
//	["a"]        for a single value          "a"
//	"[1, 2]"     for a list or an object     what the text holds
//	"Celsius"    for an enum                 the one entry that differs only in case
//	null         for an optional argument    left out
//	filePath     for file_path               the one name that differs only in case, - and _
//
// Text for a string stays as it is, also when it looks like a number. A boolean
// or an object never becomes a string, 1 never true, 5.5 never 5. All digits of
// a number reach the tool. A missing argument is an error, not an empty one; so
// is an argument given twice.
//
// The schema is one of JSON Schema, draft 2020-12 or draft 7, as
// github.com/google/jsonschema-go validates it. Numbers are compared as
// float64 by rules that this package has no words of its own for. It nests at
// most 100 deep, refers only to itself, and holds one place of a value against
// at most 1,000 schemas, counted through all references. A value that would take
// the validator more than about a second, as one that nests deep in a schema
// whose alternatives hold themselves, is refused with the argument it is in.
// [NewSchema] makes such checks of any value.
package tools
