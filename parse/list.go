package parse

import (
	"slices"
	"strings"
)

// list judges the list at c[i:]: all of its elements are calls, or it is data.
func (j *judge) list(i, depth int) verdict {
	if v, ok := j.pair(i); ok {
		return v
	}
	var all verdict
	n := 0
	for start, end := range elements(j.c, i) {
		v := j.element(start, depth)
		n++
		switch {
		case n == 1:
			all = v
		case v.kind == isFault:
			all = v
		case v.kind != all.kind && !(j.isEmpty(start, end) && all.kind == isCalls):
			all = faulty(ReasonMalformed, j.at(start).Start, "a call, as the first of the list is one")
		case len(all.calls) >= maxCalls:
			all = faulty(ReasonTooLarge, j.at(start).Start, "at most 256 calls")
		default:
			all.calls = append(all.calls, v.calls...)
		}
		if all.kind != isCalls {
			break
		}
	}
	return together(all)
}

// together makes the calls of a list share one fate: if the first counts by itself and
// another only as the whole reply, all do, and where they are not the whole reply the
// list is malformed.
func together(v verdict) verdict {
	whole := func(f found) bool { return f.ifWhole }
	if v.kind == isCalls && slices.ContainsFunc(v.calls, whole) && !whole(v.calls[0]) {
		for k := range v.calls {
			v.calls[k].ifWhole, v.calls[k].orMalformed = true, true
		}
	}
	return v
}

func (j *judge) isEmpty(start, end int) bool {
	s := j.c[start:end]
	return s == "[]" || s == "null"
}

// element judges one element of a list.
func (j *judge) element(i, depth int) verdict {
	if j.c[i] == '"' {
		return j.quoted(i)
	}
	return j.value(i, depth+1)
}

// pair judges a list of a registered name and its arguments.
func (j *judge) pair(i int) (verdict, bool) {
	if j.c[i+1] != '"' {
		return verdict{}, false
	}
	end := skipString(j.c, i+1)
	if j.c[end] != ',' || j.c[end+1] != '{' || skipValue(j.c, end+1) != skipValue(j.c, i)-1 {
		return verdict{}, false
	}
	tool, exact := j.reg.lookup(unquote(j.c[i+1 : end]))
	if tool < 0 {
		return verdict{}, false
	}
	v := j.finish(call{tool: tool, exact: exact, span: j.at(i), args: j.c[end+1 : skipValue(j.c, i)-1], dialect: DialectPythonic})
	for k := range v.calls {
		v.calls[k].expr = true
	}
	return v, true
}

// quoted judges a string that is exactly a call expression, or in a hard marker
// the text of an object.
func (j *judge) quoted(i int) verdict {
	s, span := unquote(j.c[i:skipString(j.c, i)]), j.at(i)
	if j.place.hard && strings.HasPrefix(s, "{") {
		return j.encoded(s, span)
	}
	if _, ok := callName(s, j.reg); !ok {
		return verdict{}
	}
	if !strings.HasPrefix(j.text[min(span.Start, len(j.text)):], "`") {
		return j.expression(s, span)
	}
	v := j.expression(s, Span{span.Start + 1, span.End - 1}) // the backticks are no part of the call
	if v.kind == isFault {
		return verdict{} // as Markdown mentions a tool
	}
	return v
}

// expression judges text that is exactly a call expression and stands at span.
func (j *judge) expression(text string, span Span) verdict {
	r := newReader(text)
	r.reg = j.reg
	r.beginCall(0, wordLen(text), false)
	if st := r.run(); st != readClosed || strings.TrimSpace(text[r.pos:]) != "" || r.failed() {
		return faulty(ReasonMalformed, span.Start, "a call with literal arguments")
	}
	sub := &judge{reg: j.reg, c: string(r.out), span: span, place: j.place}
	v := sub.object(0, 0)
	for k := range v.calls {
		v.calls[k].call.Dialect = DialectPythonic
		v.calls[k].expr = true
	}
	return v
}

// encoded judges an object of a registered tool that is the text of the string at
// span.
func (j *judge) encoded(text string, span Span) verdict {
	object, bad := readWhole(text)
	if bad != "" {
		return verdict{}
	}
	sub := &judge{reg: j.reg, c: object, span: span}
	v := sub.object(0, 0)
	if v.kind == isCalls && len(v.calls) > 1 {
		return verdict{} // they have no places of their own
	}
	for k := range v.calls {
		f := &v.calls[k].call
		f.Marked, f.Repairs = true, slices.Insert(f.Repairs, 0, Repair{RepairDoubledEncoding, span.Start})
	}
	return v
}
