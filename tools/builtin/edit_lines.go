package builtin

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/aymanbagabas/go-udiff"
)

// A row is a line and its line break.
type row struct{ text, eol string }

func rows(text string) []row {
	var rs []row
	for line := range strings.Lines(text) {
		body := strings.TrimRight(line, "\r\n")
		rs = append(rs, row{body, line[len(body):]})
	}
	return rs
}

// replaceLines finds old as whole lines that are equal once [loose], in one
// place only, and changes there what new changes in old. ok is false when there
// is no such place.
func replaceLines(text, old, new string) (r replacement, ok bool, err error) {
	old, new = trimEdges(old, new)
	file, want := rows(text), rows(old)
	at := looseMatches(file, want)
	switch {
	case len(at) == 0:
		return r, false, nil
	case len(at) > 1:
		return r, false, fmt.Errorf("old is not there exactly, and like it apart from white space and typography at %s; copy one of them exactly",
			lineList(oneBased(at)))
	}
	first := at[0]
	region := file[first : first+len(want)]
	indent, err := indentOf(want, region, rows(new))
	if err != nil {
		return r, false, fmt.Errorf("%w:\n%s", err, quoteRows(file, first, first+len(want)))
	}
	var b strings.Builder
	write(&b, file[:first])
	write(&b, merge(region, old, new, indent))
	write(&b, file[first+len(want):])
	did := fmt.Sprintf("replaced text in %s, which differed from old in white space or typography; all else kept its bytes",
		lineRange(first+1, first+len(want)))
	return replacement{b.String(), did}, true, nil
}

func oneBased(at []int) []int {
	lines := make([]int, len(at))
	for i, a := range at {
		lines[i] = a + 1
	}
	return lines
}

func write(b *strings.Builder, rs []row) {
	for _, r := range rs {
		b.WriteString(r.text + r.eol)
	}
}

// trimEdges cuts blank lines around old, from new only where it has them too.
func trimEdges(old, new string) (string, string) {
	old, new = strings.ReplaceAll(old, "\r\n", "\n"), strings.ReplaceAll(new, "\r\n", "\n")
	for strings.HasPrefix(old, "\n") {
		old, new = old[1:], strings.TrimPrefix(new, "\n")
	}
	for strings.HasSuffix(old, "\n") {
		old, new = old[:len(old)-1], strings.TrimSuffix(new, "\n")
	}
	return old, new
}

// loose makes lines equal that differ in white space, or in the shape of
// quotes, dashes and the like.
func loose(line string) string {
	return strings.Join(strings.Fields(strings.Map(foldTypography, line)), " ")
}

func foldTypography(r rune) rune {
	switch r {
	case '‘', '’', '‚', '‛', '′', 'ʼ', '＇':
		return '\''
	case '“', '”', '„', '‟', '″', '«', '»', '＂':
		return '"'
	case '‐', '‑', '‒', '–', '—', '―', '−', '﹣', '－':
		return '-'
	case '\u200b', '\u200c', '\u200d', '\u2060', '\ufeff', '\u00ad':
		return -1 // invisible
	}
	if unicode.IsSpace(r) {
		return ' '
	}
	return r
}

// looseMatches returns the first places where the lines of want stand in the
// file. Lines that are all blank stand nowhere.
func looseMatches(file, want []row) []int {
	key := strings.Join(looseRows(want), "\n")
	if strings.Trim(key, "\n") == "" {
		return nil
	}
	text := "\n" + strings.Join(looseRows(file), "\n") + "\n"
	at := occurrences(text, "\n"+key+"\n")
	for i, offset := range at {
		at[i] = strings.Count(text[:offset], "\n")
	}
	return at
}

func looseRows(rs []row) []string {
	out := make([]string, len(rs))
	for i, r := range rs {
		out[i] = loose(r.text)
	}
	return out
}

// merge changes the lines of the region as new changes old. Lines that are the
// same in both keep the bytes they have in the file.
func merge(region []row, old, new string, indent func(string) string) []row {
	eol := region[0].eol
	if eol == "" {
		eol = "\n"
	}
	old += "\n"
	if new != "" {
		new += "\n"
	}
	var out []row
	next := 0
	for _, e := range udiff.Lines(old, new) {
		from, to := strings.Count(old[:e.Start], "\n"), strings.Count(old[:e.End], "\n")
		out = append(out, region[next:from]...)
		for _, r := range rows(e.New) {
			out = append(out, row{indent(r.text), eol})
		}
		next = to
	}
	out = append(out, region[next:]...)
	return endLike(out, eol, region[len(region)-1].eol)
}

// endLike gives every line a break but the last, which gets the one that stood
// at the end before.
func endLike(rs []row, eol, last string) []row {
	for i := range rs {
		if rs[i].eol == "" {
			rs[i].eol = eol
		}
	}
	if len(rs) > 0 && last == "" {
		rs[len(rs)-1].eol = ""
	}
	return rs
}

var errIndent = errors.New("old is there with another indentation, and what new should have is not clear; copy these lines exactly")

// A shift is a line's indentation in old and in the file.
type shift struct{ old, file string }

func shifts(old, file []row) []shift {
	var ss []shift
	for i := range old {
		if loose(old[i].text) != "" {
			ss = append(ss, shift{indentation(old[i].text), indentation(file[i].text)})
		}
	}
	return ss
}

// indentOf returns how the indentation of a line of new becomes that of the
// file: it stays, gets more or less in front, or becomes what the equal one of
// old became.
func indentOf(old, file, new []row) (func(line string) string, error) {
	ss := shifts(old, file)
	every := func(ok func(s shift) bool) bool {
		return !slices.ContainsFunc(ss, func(s shift) bool { return !ok(s) })
	}
	more, _ := strings.CutSuffix(ss[0].file, ss[0].old)
	less, _ := strings.CutSuffix(ss[0].old, ss[0].file)
	table := map[string]string{}
	for _, s := range ss {
		table[s.old] = s.file
	}
	switch {
	case every(func(s shift) bool { return s.file == s.old }):
		return func(line string) string { return line }, nil
	case every(func(s shift) bool { return s.file == more+s.old }):
		return func(line string) string { return pick(loose(line) == "", line, more+line) }, nil
	case every(func(s shift) bool { return less+s.file == s.old }):
		return func(line string) string { return strings.TrimPrefix(line, less) }, nil
	case every(func(s shift) bool { return table[s.old] == s.file }) && known(table, new):
		return func(line string) string {
			in := indentation(line)
			return table[in] + line[len(in):]
		}, nil
	}
	return nil, errIndent
}

// known reports whether every indentation of the lines is in the table.
func known(table map[string]string, rs []row) bool {
	for _, r := range rs {
		if _, ok := table[indentation(r.text)]; !ok && loose(r.text) != "" {
			return false
		}
	}
	return true
}

func indentation(line string) string {
	return line[:len(line)-len(strings.TrimLeftFunc(line, unicode.IsSpace))]
}

const (
	maxQuoted   = 20     // lines of the closest region
	maxLikeness = 50_000 // lines that are compared by likeness
)

// notFound says that old is not there, and what comes closest.
func notFound(text, old string) error {
	file, want := rows(text), rows(strings.Trim(old, "\r\n"))
	if numbered(want) {
		return errors.New("old begins with line numbers; copy the text without them")
	}
	at, ok := closestRows(looseRows(file), looseRows(want))
	if !ok {
		return fmt.Errorf("old is not there, and nothing in its %s is like it; read the file first", count(len(file), "line"))
	}
	from, to := max(at, 0), min(at+len(want), len(file))
	return fmt.Errorf("old is not there; closest is %s, copy it exactly:\n%s", lineRange(from+1, to), quoteRows(file, from, to))
}

// numbered reports whether every line begins as read_file shows it.
func numbered(rs []row) bool {
	for _, r := range rs {
		number, _, ok := strings.Cut(strings.TrimSpace(r.text), "\t")
		if !ok || number == "" || strings.Trim(number, "0123456789") != "" {
			return false
		}
	}
	return len(rs) > 0
}

func quoteRows(file []row, from, to int) string {
	var b strings.Builder
	for i := from; i < min(to, from+maxQuoted); i++ {
		fmt.Fprintf(&b, "%d\t%s\n", i+1, excerpt([]byte(file[i].text), nil))
	}
	if to > from+maxQuoted {
		fmt.Fprintf(&b, "[%s left out]\n", count(to-from-maxQuoted, "line"))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// closestRows returns where the lines of want would begin: where most of them
// are equal, or else where the longest has the likest line.
func closestRows(file, want []string) (at int, ok bool) {
	index := map[string][]int{}
	for j, w := range want {
		if w != "" && len(index[w]) < 8 {
			index[w] = append(index[w], j)
		}
	}
	votes, best := map[int]int{}, 0
	for i, line := range file {
		for _, j := range index[line] {
			if votes[i-j]++; votes[i-j] > best {
				at, best, ok = i-j, votes[i-j], true
			}
		}
	}
	if ok {
		return at, true
	}
	return likestRow(file, want)
}

// likestRow compares pairs of letters.
func likestRow(file, want []string) (at int, ok bool) {
	if len(want) == 0 {
		return 0, false
	}
	longest := 0
	for j, w := range want {
		if len(w) > len(want[longest]) {
			longest = j
		}
	}
	key := strings.ToLower(want[longest])
	pairs := map[string]bool{}
	for i := 0; i+2 <= len(key); i++ {
		pairs[key[i:i+2]] = true
	}
	best := 0.5
	for i, line := range file[:min(len(file), maxLikeness)] {
		if like := likeness(pairs, len(key), line); like > best {
			at, best, ok = i-longest, like, true
		}
	}
	return at, ok
}

func likeness(pairs map[string]bool, size int, line string) float64 {
	shared := 0
	lower := strings.ToLower(line)
	for i := 0; i+2 <= len(lower); i++ {
		if pairs[lower[i:i+2]] {
			shared++
		}
	}
	return 2 * float64(shared) / float64(max(size+len(lower)-2, 1))
}
