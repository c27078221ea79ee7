package permission

import (
	"regexp"
	"slices"
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

// dangers are by program, a version at the end of its name left out; those of git
// also by its command.
var dangers = map[string]danger{
	"ack":       {long: []string{"pager", "output", "ackrc"}},
	"ag":        {long: []string{"pager"}},
	"base64":    {letters: "o", long: []string{"output"}},
	"bat":       {long: []string{"pager"}},
	"batcat":    {long: []string{"pager"}},
	"bun":       {letters: "epr", long: []string{"eval", "print", "preload"}},
	"cargo":     {long: []string{"config"}},
	"curl":      {letters: "oOTKcD", long: []string{"output", "output-dir", "remote-name", "remote-name-all", "upload-file", "config", "cookie-jar", "dump-header", "trace", "trace-ascii", "libcurl", "stderr", "etag-save", "hsts", "alt-svc", "ssl-sessions", "engine"}, find: curlDanger},
	"date":      {letters: "s", long: []string{"set"}, find: dateDanger},
	"deno":      {words: []string{"eval", "repl"}},
	"diff3":     {long: []string{"diff-program"}},
	"fd":        {letters: "xX", long: []string{"exec", "exec-batch"}},
	"fdfind":    {letters: "xX", long: []string{"exec", "exec-batch"}},
	"file":      {letters: "C", long: []string{"compile"}},
	"find":      {words: []string{"-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf", "-fls"}},
	"getopts":   {find: variableDanger},
	"go":        {long: []string{"exec", "o", "c", "w", "toolexec", "vettool", "asmflags", "gccgoflags", "gcflags", "ldflags", "overlay", "pkgdir"}, find: profileDanger},
	"groovy":    {letters: "e"},
	"iconv":     {letters: "o", long: []string{"output"}},
	"jobs":      {letters: "x"},
	"julia":     {letters: "eEiL", long: []string{"eval", "print", "load"}},
	"less":      {letters: "oOk", long: []string{"log-file", "LOG-FILE", "lesskey-file", "lesskey-src", "lesskey-content"}},
	"lua":       {letters: "ei"},
	"make":      {letters: "Ef", long: []string{"eval", "file", "makefile"}, find: makeDanger},
	"man":       {letters: "CPH", long: []string{"config-file", "pager", "html"}},
	"mapfile":   {letters: "C", find: variableDanger},
	"node":      {letters: "epri", words: []string{"inspect"}, long: []string{"eval", "print", "require", "import", "loader", "interactive"}, find: nodeDanger},
	"npm":       npmDanger,
	"osascript": {letters: "e"},
	"perl":      {letters: "eEimMd"},
	"php":       {letters: "rBREFdacz", long: []string{"run", "process-begin", "process-code", "process-end", "process-file", "define", "interactive", "php-ini", "zend-extension"}},
	"pnpm":      npmDanger,
	"printf":    {letters: "v", find: printfDanger},
	"pypy":      pythonDanger,
	"python":    pythonDanger,
	"read":      {find: variableDanger},
	"readarray": {letters: "C", find: variableDanger},
	"rg":        {long: []string{"pre", "hostname-bin"}},
	"rscript":   {letters: "e"},
	"rsync":     {letters: "eM", long: []string{"rsh", "rsync-path", "remote-option"}},
	"ruby":      {letters: "eir"},
	"scp":       {letters: "SoDF"},
	"sdiff":     {letters: "o", long: []string{"output", "diff-program"}},
	"sed":       {letters: "ifIl", long: []string{"in-place", "file", "line-length"}, find: sedDanger},
	"sftp":      {letters: "SoDFb"},
	"shuf":      {letters: "o", long: []string{"output"}},
	"sort":      {letters: "o", long: []string{"output", "compress-program"}},
	"split":     {long: []string{"filter"}},
	"sqlite3":   {long: []string{"cmd", "init"}, find: sqliteDanger},
	"tar":       {letters: tarLetters, long: []string{"to-command", "checkpoint-action", "use-compress-program", "rsh-command", "info-script", "new-volume-script", "rmt-command", "remove-files", "index-file", "listed-incremental", "volno-file"}, find: tarDanger},
	"test":      {find: testDanger},
	"[":         {find: testDanger},
	"tree":      {letters: "oR"},
	"uniq":      {find: secondFileDanger},
	"unset":     {find: variableDanger},
	"wait":      {letters: "p"},
	"wget":      {letters: "e", long: []string{"execute", "use-askpass", "config"}},
	"xmllint":   {letters: "o", long: []string{"output", "shell"}},
	"xxd":       {find: secondFileDanger},
	"yarn":      npmDanger,
	"yq":        {letters: "is", long: []string{"inplace", "in-place", "split-exp", "split-exp-file"}},
	"zip":       {letters: "T", long: []string{"test", "unzip-command"}},

	"git":               {long: []string{"output", "exec", "upload-pack", "receive-pack", "open-files-in-pager", "extcmd"}},
	"git -":             {letters: "c", long: []string{"config-env", "exec-path", "git-dir", "work-tree"}}, // before its command
	"git archive":       {letters: "o"},
	"git bisect":        {words: []string{"run"}},
	"git clone":         {letters: "uc", long: []string{"config", "template", "separate-git-dir"}},
	"git config":        {letters: "e", find: gitConfigDanger},
	"git difftool":      {letters: "x"},
	"git format-patch":  {letters: "o", long: []string{"output-directory"}},
	"git filter-branch": {long: []string{"setup", "env-filter", "tree-filter", "index-filter", "parent-filter", "msg-filter", "commit-filter", "tag-name-filter"}},
	"git grep":          {letters: "O"},
	"git init":          {long: []string{"template", "separate-git-dir"}},
	"git rebase":        {letters: "x"},
	"git submodule":     {words: []string{"foreach"}},
}

var (
	npmDanger    = danger{letters: "C", long: []string{"script-shell", "node-options", "prefix", "userconfig", "globalconfig", "git", "viewer", "editor"}}
	pythonDanger = danger{letters: "cim"}
)

var awkDanger = danger{letters: "filEdopDW", long: []string{"file", "include", "load", "exec", "dump-variables", "pretty-print", "profile", "debug"}, find: func(args []word) {
	rest, sure := short("F:v:").skip(args)
	program := len(args) - len(rest)
	for i, a := range args {
		unread := a.kind == open || a.kind == globbed && (!sure || i <= program)
		if unread || strings.ContainsAny(a.text, "|>@") || strings.Contains(a.text, "system") || strings.Contains(a.text, "getline") {
			args[i].danger = "is an awk program that may run others or write files"
		}
	}
}}

// markDangers marks the dangerous words of a command.
func markDangers(words []word) {
	name, args := programOf(words), words[1:]
	d, ok := dangers[name]
	if !ok {
		d, ok = dangers[unversioned(name)]
	}
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
		if rest[0].kind != fixed {
			rest[0].danger = "may become a command that runs a program"
		}
	}
}

// unversioned is the name of a program without a version: python3.12, lua5.4.
func unversioned(name string) string { return strings.TrimRight(name, "0123456789.-") }

// mark marks the dangerous words among a program's arguments.
func (d danger) mark(args []word) {
	if d.find != nil {
		d.find(args)
	}
	operands := false // behind "--" nothing is an option
	for i := range args {
		a := &args[i]
		switch {
		case a.mayBe(d.words...):
			a.danger = "runs a program or changes files"
		case operands:
		case a.is("--"):
			operands = len(d.words) == 0 // to find a -delete behind it is one
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

// computing are the tests for which some shells compute an array's index, or a
// number, from a word.
var computing = []string{"-v", "-R", "-eq", "-ne", "-lt", "-le", "-gt", "-ge"}

// testDanger marks words that some shells compute.
func testDanger(args []word) {
	computes := slices.ContainsFunc(args, func(a word) bool { return a.is(computing...) })
	for i, a := range args {
		if a.kind != fixed && computes || strings.Contains(a.text, "$(") || strings.Contains(a.text, "`") {
			args[i].danger = "may be computed by the shell"
		}
	}
}

var counts = lazily(`%[-+ #'0-9.*$hjlqtzL]*n`)

// printfDanger marks formats by which printf sets a variable.
func printfDanger(args []word) {
	for i, a := range args {
		if counts().MatchString(a.text) || a.kind != fixed && i+1 < len(args) {
			args[i].danger = "may be a format that sets a variable"
		}
		if !a.is("--") {
			return
		}
	}
}

// variableDanger marks what is not the name of a script's own variable, also when
// it is joined to the -a of read.
func variableDanger(args []word) {
	for i, a := range args {
		name := a.text
		if a.option() {
			_, name, _ = strings.Cut(name, "a")
		}
		if !ownName(name) && (name != "" || !a.option()) {
			args[i].danger = "is a variable that others use"
		}
	}
}

var clock = lazily(`^[0-9]{8,12}(\.[0-9]{2})?$`)

// dateDanger marks a new time for the clock.
func dateDanger(args []word) {
	for i, a := range args {
		if clock().MatchString(a.text) {
			args[i].danger = "sets the clock"
		}
	}
}

var nodeOptions = lazily(`^--(build-snapshot|cpu-prof|diagnostic-dir|env-file|experimental-(loader|sea)|heap-?(prof|snapshot)|openssl-(config|shared)|prof|redirect-warnings|report-|run|test-reporter|tls-keylog|trace-event)`)

// nodeDanger marks options by the families they come in.
func nodeDanger(args []word) {
	for i, a := range args {
		if nodeOptions().MatchString(strings.ReplaceAll(a.text, "_", "-")) {
			args[i].danger = "is an option that runs a program or writes a file"
		}
	}
}

// profileDanger marks the options by which go and its tests write profiles.
func profileDanger(args []word) {
	d := danger{long: []string{"artifacts", "blockprofile", "coverprofile", "cpuprofile", "fuzzcachedir", "gocoverdir", "memprofile", "mutexprofile", "outputdir", "testlogfile", "trace"}}
	for i, a := range args {
		name := strings.TrimLeft(a.text, "-")
		if d.option(a.text) || name != a.text && d.option("-"+strings.TrimPrefix(name, "test.")) {
			args[i].danger = "is an option that writes a file"
		}
	}
}

var reaching = lazily(`(?is)\b(?:edit|load_extension|writefile|attach)\b|\bvacuum\b.*\binto\b`)

// sqliteDanger marks commands of sqlite's own shell, and functions that reach
// files and programs.
func sqliteDanger(args []word) {
	for i, a := range args {
		if a.kind != fixed || strings.HasPrefix(strings.TrimSpace(a.text), ".") || reaching().MatchString(a.text) {
			args[i].danger = "may run a program or write a file"
		}
	}
}

// curlDanger marks what names files in the middle of a text, and options whose
// values curl computes.
func curlDanger(args []word) {
	for i, a := range args {
		format := i > 0 && isFormat(args[i-1].text) && (a.kind != fixed || strings.HasPrefix(a.text, "@"))
		if format || isFormat(a.text) && (a.kind != fixed || strings.Contains(a.text, "@")) ||
			strings.Contains(a.text, "output{") || strings.HasPrefix(a.text, "--expand-") {
			args[i].danger = "may name a file that curl writes"
		}
	}
}

// isFormat says whether an option gives curl a format, which may stand in a file
// and name others to write.
func isFormat(option string) bool {
	return danger{letters: "w", long: []string{"write-out"}}.option(option)
}

// secondFileDanger marks a second file, which the program writes.
func secondFileDanger(args []word) {
	files := 0
	for i, a := range args {
		switch {
		case a.kind != fixed && !a.single():
			files += 2
		case a.kind != fixed || !a.option():
			files++
		}
		if files > 1 {
			args[i].danger = "is a file that is written"
		}
	}
}

var makeValue = lazily(`^[\w.:/,+-]*$`)

// makeDanger marks variables whose values a shell may read as commands.
func makeDanger(args []word) {
	for i, a := range args {
		name, value, sets := strings.Cut(a.text, "=")
		shell := strings.Contains(name, "SHELL") || strings.Contains(name, "MAKE")
		if sets && (a.kind != fixed || shell || !makeValue().MatchString(value)) {
			args[i].danger = "sets a variable that may run a program"
		}
	}
}

// gitConfigDanger marks what is not only a look at a setting: many name programs.
func gitConfigDanger(args []word) {
	operands := 0
	for i, a := range args {
		switch {
		case i == 0 && a.is("get", "list"), a.is("--get", "--get-all", "--get-regexp", "--list", "-l"):
			return
		case !a.option():
			operands++
		}
		if operands > 1 || a.is("edit", "--edit") {
			args[i].danger = "changes settings, which may run programs"
		}
	}
}

const tarLetters = "IF"

// tarDanger marks options that stand without their dash.
func tarDanger(args []word) {
	if len(args) > 0 && !args[0].option() && (args[0].kind != fixed || strings.ContainsAny(args[0].text, tarLetters)) {
		args[0].danger = "is an option that runs a program"
	}
}

// sedSafe is a sed script of commands that only print and replace. It knows less
// than sed does, and nothing that writes a file (w) or runs a program (e).
var sedSafe = sync.OnceValue(func() *regexp.Regexp {
	const (
		plain   = `(?:[^D\\\n\[]|\\[^\n]|\[\^?(?:[^\]\[D\n\\]C)+\])*` // a pattern up to the delimiter D
		class   = `|\[:[a-z]+:\]`                                     // in its brackets
		text    = `(?:[^D\\\n]|\\[^\n])*`                             // a replacement
		letters = `(?:[^D\\\n\[]|\\[^\n])*`                           // of y: some take [ for a bracket there
		address = `(?:[0-9]+(?:~[0-9]+)?|\$|/P/I?)`
	)
	with := func(t, delim string) string {
		in := class
		if delim == ":" {
			in = "" // a class would hold the delimiter
		}
		t = strings.NewReplacer("P", strings.Replace(plain, "C", in, 1), "T", text, "Y", letters).Replace(t)
		return strings.ReplaceAll(t, "D", regexp.QuoteMeta(delim))
	}
	commands := []string{`[pdDqQ=nNlhHgGxP][0-9]*`}
	for _, delim := range []string{"/", "|", "#", ",", ":", "@", "!"} {
		commands = append(commands, with(`sDPDTD[gpiImM0-9]*`, delim))
	}
	commands = append(commands, with(`yDYDYD`, "/"))
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
				if !given { // some read no options behind it
					scripts[i] = a.text
				}
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
