package permission

import (
	"regexp"
	"strings"
	"sync"
)

// A danger is the words by which a program that only looks, or that a rule
// trusts, runs another program or changes a file that no redirection names.
type danger struct {
	letters string            // short options, also several in one word
	long    []string          // long options, also cut short, with one dash or two
	words   []string          // whole words
	find    func(args []word) // marks what needs a closer look
}

// dangers are by program; those of git also by its command.
var dangers = map[string]danger{
	"bun":       {letters: "ep", long: []string{"eval", "print"}},
	"cargo":     {long: []string{"config"}},
	"curl":      {letters: "oOTKcD", long: []string{"output", "output-dir", "remote-name", "remote-name-all", "upload-file", "config", "cookie-jar", "dump-header", "trace", "trace-ascii", "libcurl", "stderr", "etag-save", "hsts", "alt-svc", "ssl-sessions"}, find: curlDanger},
	"deno":      {words: []string{"eval", "repl"}},
	"fd":        {letters: "xX", long: []string{"exec", "exec-batch"}},
	"fdfind":    {letters: "xX", long: []string{"exec", "exec-batch"}},
	"find":      {words: []string{"-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf", "-fls"}},
	"getopts":   {find: variableDanger},
	"go":        {long: []string{"exec", "o", "toolexec", "vettool"}},
	"lua":       {letters: "e"},
	"make":      {letters: "E", long: []string{"eval"}},
	"man":       {letters: "PH", long: []string{"pager", "html"}},
	"mapfile":   {letters: "C", find: variableDanger},
	"node":      {letters: "ep", long: []string{"eval", "print"}},
	"osascript": {letters: "e"},
	"perl":      {letters: "eE"},
	"php":       {letters: "rBRE"},
	"printf":    {letters: "v"},
	"python":    {letters: "ci"},
	"python3":   {letters: "ci"},
	"read":      {find: variableDanger},
	"readarray": {letters: "C", find: variableDanger},
	"rg":        {long: []string{"pre", "hostname-bin"}},
	"rsync":     {letters: "eM", long: []string{"rsh", "rsync-path", "remote-option"}},
	"ruby":      {letters: "e"},
	"scp":       {letters: "SoD"},
	"sed":       {letters: "if", long: []string{"in-place", "file"}, find: sedDanger},
	"sftp":      {letters: "SoD"},
	"sort":      {letters: "o", long: []string{"output", "compress-program"}},
	"split":     {long: []string{"filter"}},
	"sqlite3":   {long: []string{"cmd"}},
	"tar":       {letters: tarLetters, long: []string{"to-command", "checkpoint-action", "use-compress-program", "rsh-command", "info-script", "new-volume-script", "rmt-command", "remove-files"}, find: tarDanger},
	"test":      {find: testDanger},
	"[":         {find: testDanger},
	"tree":      {letters: "o"},
	"uniq":      {find: uniqDanger},
	"unset":     {find: variableDanger},
	"wget":      {letters: "e", long: []string{"execute", "use-askpass", "config"}},
	"yq":        {letters: "is", long: []string{"inplace", "split-exp"}},

	"git":              {long: []string{"output", "exec", "upload-pack", "receive-pack", "open-files-in-pager", "extcmd"}},
	"git -":            {letters: "c", long: []string{"config-env", "exec-path", "git-dir", "work-tree"}}, // before its command
	"git archive":      {letters: "o"},
	"git bisect":       {words: []string{"run"}},
	"git clone":        {letters: "uc", long: []string{"config"}},
	"git difftool":     {letters: "x"},
	"git format-patch": {letters: "o", long: []string{"output-directory"}},
	"git grep":         {letters: "O"},
	"git rebase":       {letters: "x"},
	"git submodule":    {words: []string{"foreach"}},
}

var awkDanger = danger{letters: "filEdopDW", long: []string{"file", "include", "load", "exec", "dump-variables", "pretty-print", "profile", "debug"}, find: func(args []word) {
	for i, a := range args {
		if strings.ContainsAny(a.text, "|>@") || strings.Contains(a.text, "system") || strings.Contains(a.text, "getline") {
			args[i].danger = "is an awk program that may run others or write files"
		}
	}
}}

// markDangers marks the dangerous words of a command.
func markDangers(words []word) {
	name, args := programOf(words), words[1:]
	d, ok := dangers[name]
	switch {
	case isAwk(name):
		awkDanger.mark(args)
	case ok:
		d.mark(args)
	}
	if name != "git" {
		return
	}
	rest, _ := gitOptions.skip(args)
	dangers["git -"].mark(args[:len(args)-len(rest)])
	if len(rest) > 0 {
		dangers["git "+rest[0].text].mark(rest[1:])
	}
}

// mark marks the dangerous words among a program's arguments.
func (d danger) mark(args []word) {
	if d.find != nil {
		d.find(args)
	}
	operands := false // behind "--" nothing is an option
	for i := range args {
		a := &args[i]
		switch {
		case a.is(d.words...):
			a.danger = "runs a program or changes files"
		case operands:
		case a.is("--"):
			operands = true
		case a.kind != fixed && a.option():
			a.danger = "may become an option that runs a program or changes files"
		case d.option(a.text):
			a.danger = "is an option that runs a program or changes files"
		}
	}
}

// option says whether the word is one of the dangerous options.
func (d danger) option(text string) bool {
	if len(text) < 2 || text[0] != '-' {
		return false
	}
	name, _, _ := strings.Cut(strings.TrimLeft(text, "-"), "=")
	for _, long := range d.long {
		if name != "" && strings.HasPrefix(long, name) && (text[1] == '-' || name == long) {
			return true
		}
	}
	return text[1] != '-' && d.letters != "" && strings.ContainsAny(text, d.letters)
}

// testDanger marks words from which some shells compute an array's index.
func testDanger(args []word) {
	for i, a := range args {
		if a.kind == fixed && (strings.Contains(a.text, "$(") || strings.Contains(a.text, "`")) {
			args[i].danger = "may be computed by the shell"
		}
	}
}

var ownVariable = lazily(`^[a-z_][a-z0-9_]*$`)

// variableDanger marks what is not the name of a script's own variable.
func variableDanger(args []word) {
	for i, a := range args {
		if !a.option() && !ownVariable().MatchString(a.text) {
			args[i].danger = "is a variable that others use"
		}
	}
}

// curlDanger marks what names files in the middle of a text, and options whose
// values curl computes.
func curlDanger(args []word) {
	for i, a := range args {
		if strings.Contains(a.text, "output{") || strings.HasPrefix(a.text, "--expand-") {
			args[i].danger = "may name a file that curl writes"
		}
	}
}

// uniqDanger marks a second file, which uniq writes.
func uniqDanger(args []word) {
	files := 0
	for i, a := range args {
		if !a.option() || a.kind != fixed {
			if files++; files > 1 {
				args[i].danger = "is a file that uniq writes"
			}
		}
	}
}

const tarLetters = "IF"

// tarDanger marks options that stand without their dash.
func tarDanger(args []word) {
	if len(args) > 0 && !args[0].option() && strings.ContainsAny(args[0].text, tarLetters) {
		args[0].danger = "is an option that runs a program"
	}
}

// sedSafe is a sed script of commands that only print and replace. It knows less
// than sed does, and nothing that writes a file (w) or runs a program (e).
var sedSafe = sync.OnceValue(func() *regexp.Regexp {
	const (
		plain   = `(?:[^D\\\n\[]|\\[^\n]|\[\^?[^\]D\n\\][^\]D\n\\]*\])*` // a pattern up to the delimiter D
		text    = `(?:[^D\\\n]|\\[^\n])*`                                // a replacement
		address = `(?:[0-9]+(?:~[0-9]+)?|\$|/P/I?)`
	)
	with := func(t, delim string) string {
		t = strings.NewReplacer("P", plain, "T", text).Replace(t)
		return strings.ReplaceAll(t, "D", regexp.QuoteMeta(delim))
	}
	commands := []string{`[pdDqQ=nNlhHgGxP][0-9]*`}
	for _, delim := range []string{"/", "|", "#", ",", ":", "@", "!"} {
		commands = append(commands, with(`sDPDTD[gpiImM0-9]*`, delim))
	}
	commands = append(commands, with(`yDTDTD`, "/"))
	one := `\s*(?:` + with(address, "/") + `(?:\s*,\s*[+~]?` + with(address, "/") + `)?)?\s*!?\s*(?:` + strings.Join(commands, "|") + `)?\s*`
	return regexp.MustCompile(`^` + one + `(?:[;\n]` + one + `)*$`)
})

// sedDanger marks scripts that may do more than print and replace.
func sedDanger(args []word) {
	scripts := map[int]string{}
	first, given := -1, false
	for i, a := range args {
		if !a.option() {
			if first < 0 {
				first = i
			}
			continue
		}
		script, joined, ok := sedScript(a.text)
		switch {
		case !ok:
			continue
		case joined:
			scripts[i] = script
		case i+1 < len(args):
			scripts[i+1] = args[i+1].text
		}
		given = true
	}
	if !given && first >= 0 {
		scripts[first] = args[first].text
	}
	for i, text := range scripts {
		if args[i].kind != fixed || !sedSafe().MatchString(text) {
			args[i].danger = "is a sed script that may run programs or write files"
		}
	}
}

// sedScript says whether an option gives a script, and which if it is joined to
// it. Long options may be cut short.
func sedScript(option string) (script string, joined, ok bool) {
	if long, isLong := strings.CutPrefix(option, "--"); isLong {
		name, script, joined := strings.Cut(long, "=")
		return script, joined, name != "" && strings.HasPrefix("expression", name)
	}
	_, script, ok = strings.Cut(option, "e")
	return script, script != "", ok
}
