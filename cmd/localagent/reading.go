package main

import (
	"strconv"
	"unicode/utf8"

	"github.com/localagent/localagent/parse"
)

// kinds are the words for the outcomes.
var kinds = map[parse.Outcome]string{
	parse.Calls:       "call",
	parse.Final:       "final",
	parse.Unparseable: "unparseable",
}

// appendReading appends the fields of a reading, without the braces around
// them. Every field is there, whatever the kind.
func appendReading(b []byte, r *parse.Result) []byte {
	b = append(b, `"kind":"`...)
	b = append(b, kinds[r.Outcome]...)
	b = append(b, `","calls":`...)
	b = appendCalls(b, r.Calls)
	b = appendJSON(append(b, `,"text":`...), r.Text)
	b = appendJSON(append(b, `,"thinking":`...), r.Thinking)
	b = append(b, `,"problem":`...)
	b = appendProblem(b, r.Problem)
	b = append(b, `,"void":`...)
	b = appendCalls(b, r.Void)
	b = append(b, `,"dropped":[`...)
	for i, d := range r.Dropped {
		b = appendComma(b, i)
		b = appendSpan(append(b, '{'), d.Span)
		b = appendJSON(append(b, `,"reason":`...), d.Reason)
		b = append(b, '}')
	}
	return append(b, ']')
}

func appendCalls(b []byte, calls []parse.Call) []byte {
	b = append(b, '[')
	for i, c := range calls {
		b = appendComma(b, i)
		b = appendJSON(append(b, `{"tool":`...), c.Name)
		b = append(append(b, `,"args":`...), c.Args...)
		b = appendSpan(append(b, ','), c.Span)
		b = appendJSON(append(b, `,"dialect":`...), string(c.Dialect))
		b = append(b, `,"repairs":[`...)
		for i, r := range c.Repairs {
			b = appendComma(b, i)
			b = appendJSON(append(b, `{"code":`...), string(r.Code))
			b = append(b, `,"offset":`...)
			b = append(strconv.AppendInt(b, int64(r.Offset), 10), '}')
		}
		b = append(b, ']', '}')
	}
	return append(b, ']')
}

func appendProblem(b []byte, p *parse.Problem) []byte {
	if p == nil {
		return append(b, "null"...)
	}
	b = appendJSON(append(b, `{"reason":`...), string(p.Reason))
	b = append(b, `,"offset":`...)
	b = strconv.AppendInt(b, int64(p.Offset), 10)
	b = appendJSON(append(b, `,"expected":`...), p.Expected)
	b = appendJSON(append(b, `,"found":`...), p.Found)
	return append(b, '}')
}

func appendSpan(b []byte, s parse.Span) []byte {
	b = append(b, `"start":`...)
	b = strconv.AppendInt(b, int64(s.Start), 10)
	b = append(b, `,"end":`...)
	return strconv.AppendInt(b, int64(s.End), 10)
}

func appendComma(b []byte, i int) []byte {
	if i > 0 {
		b = append(b, ',')
	}
	return b
}

// appendJSON appends s as a JSON string. What is not UTF-8 becomes U+FFFD.
func appendJSON(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	done := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				b = append(append(b, s[done:i]...), "\ufffd"...)
				done = i + 1
			}
			i += n
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		b = append(b, s[done:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\t':
			b = append(b, '\\', 't')
		case '\r':
			b = append(b, '\\', 'r')
		default:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		done = i
	}
	return append(append(b, s[done:]...), '"')
}
