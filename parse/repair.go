package parse

// The codes of repairs, each with what a model may write.
const (
	// Delimiters and white space.
	RepairTrailingComma   RepairCode = "trailing-comma"    // {"a":1,}, also a doubled or a leading comma
	RepairMissingComma    RepairCode = "missing-comma"     // "a":1 and "b":2 on two lines, no comma between; [f(x=1); g(y=2)]
	RepairFullWidth       RepairCode = "full-width"        // ： and ， for : and ,
	RepairOddSpace        RepairCode = "odd-space"         // a no-break space or a character without width between tokens; f (x=1)
	RepairLiteralNewline  RepairCode = "literal-newline"   // \n, \r or \t, written out, between tokens
	RepairComment         RepairCode = "comment"           // // …, /* … */ or # …
	RepairStrayCloser     RepairCode = "stray-closer"      // [f(x=1))]
	RepairCloser          RepairCode = "mismatched-closer" // } where a ] was due
	RepairMissingCloser   RepairCode = "missing-closer"    // the last closers, left out before a closing tag, a token, a fence or the end
	RepairMissingTag      RepairCode = "missing-tag"       // the closing tag of a parameter, at the end of the reply
	RepairDoubledEncoding RepairCode = "doubled-encoding"  // {\"a\":1}: the whole call encoded as a string once more

	// Keys, strings and other values.
	RepairUnquotedKey    RepairCode = "unquoted-key"     // {a:1}
	RepairDoubledKey     RepairCode = "doubled-key"      // {"a":1,"a":1}, the same value twice
	RepairMarkdownEscape RepairCode = "markdown-escape"  // file\_name for file_name
	RepairSingleQuotes   RepairCode = "single-quotes"    // {'a':1}
	RepairSmartQuotes    RepairCode = "smart-quotes"     // {“a”:1}
	RepairPythonLiteral  RepairCode = "python-literal"   // True, False, None, or a tuple
	RepairNumber         RepairCode = "number-form"      // +1, 1_000, .5 or 5.
	RepairColon          RepairCode = "colon-for-equals" // f(a: 1) for f(a=1)
	RepairRawControl     RepairCode = "raw-control"      // a line break or a tab within a string
	RepairEscape         RepairCode = "invalid-escape"   // "\d", whose backslash stays, or "\_"
	RepairWindowsPath    RepairCode = "windows-path"     // "C:\dir\new", all of whose backslashes stay
	RepairSurrogate      RepairCode = "lone-surrogate"   // "\ud83d", read as U+FFFD
	RepairUTF8           RepairCode = "invalid-utf8"     // bytes that are no UTF-8, read as U+FFFD

	// The name and the arguments.
	RepairName        RepairCode = "name"              // Read-File for read_file
	RepairExtraKey    RepairCode = "extra-key"         // a key beside name and arguments that is none of a call
	RepairArgsString  RepairCode = "arguments-string"  // "args":"{\"a\":1}"
	RepairArgsMissing RepairCode = "arguments-missing" // "args":null or "args":"", read as {}
	RepairArgsList    RepairCode = "arguments-list"    // "args":[{"a":1}]
	RepairFlatArgs    RepairCode = "flat-arguments"    // {"tool":"f","a":1}, arguments beside the name
	RepairPositional  RepairCode = "positional"        // f("x"), for the one parameter of f
	RepairSchemaEcho  RepairCode = "schema-unwrapped"  // "args":{"type":"object","properties":{"a":1}}
	RepairDoubledCall RepairCode = "doubled-call"      // "args":{"name":"f","arguments":{"a":1}}, the call in its own arguments
)
