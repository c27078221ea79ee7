package permission

import (
	"maps"
	"slices"
	"strings"
)

// A started is what a command starts in its turn, as far as its words tell.
type started struct {
	why      string   // set for programs that run what they are given
	any      bool     // it may start any command
	commands [][]word // the commands it starts
	same     [][]word // the command itself, said in other words; rules may name either
	scripts  []string // texts it gives to a shell
	guesses  []string // texts that it may give to a shell
}

// A wrapper is a program that runs the command that follows its own options.
type wrapper struct {
	getopt
	texts    []string // options whose value is the text of a command
	operands int      // words of its own before the command
	assigns  bool     // NAME=value may stand before the command
	script   bool     // the rest is not the words of a command but the text of one
	more     bool     // it adds words to the command
	input    bool     // it may read commands from its input, or behind its own
	marks    []string // options whose value, or {}, is filled in
}

// A getopt says how to skip a program's options: short ones in the manner of
// getopt, with a colon behind those that take a value and two behind those that
// take it only joined; long ones with = if they do.
type getopt struct {
	short string
	long  []string
}

func short(s string, long ...string) getopt { return getopt{s, long} }

// wrappers are the programs that run another. Deny rules see what they run; no
// rule with a pattern allows them.
var wrappers = map[string]wrapper{
	"builtin":          {},
	"busybox":          {},
	"bwrap":            {},
	"caffeinate":       {getopt: short("disut:w:")},
	"chronic":          {},
	"chroot":           {getopt: short("", "groups=", "userspec=", "skip-chdir"), operands: 1},
	"chrt":             {getopt: short("abdfimoprRvT:P:D:"), operands: 1},
	"command":          {getopt: short("pvV")},
	"cpulimit":         {getopt: short("fzvqb:c:l:p:e:P:")},
	"dbus-run-session": {},
	"dumb-init":        {getopt: short("cvr:")},
	"doas":             {getopt: short("nLsa:C:u:")},
	"eatmydata":        {},
	"entr":             {getopt: short("acdnprsz")},
	"env":              {getopt: short("i0vu:C:a:P:S:", "ignore-environment", "null", "debug", "unset=", "chdir=", "argv0=", "split-string="), texts: []string{"-S", "--split-string"}, assigns: true},
	"eval":             {script: true},
	"exec":             {getopt: short("cla:")},
	"fakeroot":         {},
	"faketime":         {getopt: short("fm"), operands: 1},
	"firejail":         {},
	"flock":            {getopt: short("senuxoFw:E:c:", "command="), texts: []string{"-c", "--command"}, operands: 1},
	"gosu":             {operands: 1},
	"ifne":             {getopt: short("n")},
	"ionice":           {getopt: short("tc:n:p:P:u:")},
	"linux32":          {getopt: short("R")},
	"linux64":          {getopt: short("R")},
	"ltrace":           {getopt: short("cfirStTe:o:p:s:u:l:n:x:")},
	"nice":             {getopt: short("0123456789n:", "adjustment=")},
	"nohup":            {},
	"nsenter":          {getopt: short("at:FZ")},
	"numactl":          {getopt: short("lai:N:C:m:p:", "localalloc", "all", "interleave=", "cpunodebind=", "physcpubind=", "membind=", "preferred=")},
	"parallel":         {getopt: short("0kXj:n:N:L:I:"), more: true, input: true, marks: []string{"-I"}},
	"proxychains":      {}, "proxychains4": {},
	"pkexec":      {getopt: short("", "user=")},
	"prlimit":     {getopt: short("p:")},
	"proot":       {getopt: short("0r:b:w:q:R:S:")},
	"rlwrap":      {},
	"runuser":     {getopt: short("lmpPfu:g:G:s:w:c:", "command="), texts: []string{"-c", "--command"}},
	"script":      {getopt: short("aefqc:I:O:B:T:m:t::", "command="), texts: []string{"-c", "--command"}, operands: 1},
	"setarch":     {getopt: short("R"), operands: 1},
	"setpriv":     {},
	"setsid":      {getopt: short("cfw")},
	"ssh":         {getopt: short("46AaCfGgKkMNnqsTtVvXxYyB:b:c:D:E:e:F:I:i:J:L:l:m:O:o:p:Q:R:S:W:w:"), operands: 1, script: true},
	"stdbuf":      {getopt: short("i:o:e:", "input=", "output=", "error=")},
	"strace":      {getopt: short("cfFkqrtTvwyYCdDe:o:p:s:u:a:E:I:O:P:S:U:X:b:")},
	"su":          {getopt: short("lmpPfg:G:s:w:c:", "command="), texts: []string{"-c", "--command"}, operands: 9},
	"su-exec":     {operands: 1},
	"sudo":        {getopt: short("AbBEHKklNnPSisVvu:g:h:p:C:T:r:t:U:D:R:c:a:", "user=", "group=", "host=", "prompt=", "chdir=", "preserve-env", "non-interactive", "login", "shell", "stdin", "background"), assigns: true},
	"systemd-run": {getopt: short("Gtdqru:p:E:H:M:P")},
	"taskset":     {getopt: short("apc", "all-tasks", "cpu-list"), operands: 1},
	"time":        {getopt: short("apqvVf:o:", "append", "portability", "verbose", "quiet", "format=", "output=")},
	"timeout":     {getopt: short("fvpk:s:", "foreground", "preserve-status", "verbose", "kill-after=", "signal="), operands: 1},
	"tini":        {getopt: short("gsvwe:p:")},
	"torify":      {}, "torsocks": {},
	"toybox":   {},
	"unbuffer": {getopt: short("p")},
	"unshare":  {getopt: short("cfimnprTuUC")},
	"valgrind": {},
	"watch":    {getopt: short("bcCdeghprtvwxn:q:s:", "interval=", "color", "differences", "errexit", "chgexit", "no-title", "exec"), script: true},
	"xvfb-run": {},
	"xargs":    {getopt: short("0oprtxa:d:E:I:i::L:l::n:P:s:", "null", "no-run-if-empty", "verbose", "interactive", "open-tty", "exit", "arg-file=", "delimiter=", "max-args=", "max-lines", "max-procs=", "max-chars=", "replace"), more: true, marks: []string{"-I", "-J", "--replace"}},
}

// shells are the programs whose -c takes the text of a command, and which read
// one from their input without.
var shells = []string{"sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "yash", "fish", "csh", "tcsh", "rbash", "nu", "elvish", "xonsh"}

// commanded are programs whose words or input are commands in a language of their
// own, by which they run others.
var commanded = []string{
	"at", "batch", "compgen", "crontab", "dc", "ed", "emacs", "emacsclient", "ex", "expect", "fc", "gdb", "gnuplot", "lldb",
	"m4", "mariadb", "mysql", "nvim", "powershell", "psql", "pwsh", "screen", "tmux", "vi", "view", "vim", "vimdiff",
}

// runners are programs that run the command behind one of these words. Unlike
// wrappers they can be named by a rule with the command: poetry run pytest *.
var runners = map[string][]string{
	"bundle": {"exec"},
	"conda":  {"run"},
	"direnv": {"exec"},
	"hatch":  {"run"},
	"mise":   {"exec", "x"},
	"npm":    {"exec", "x"},
	"pdm":    {"run"},
	"perf":   {"record", "stat", "trace"},
	"pipenv": {"run"},
	"pnpm":   {"exec"},
	"poetry": {"run"},
	"pyenv":  {"exec"},
	"rbenv":  {"exec"},
	"uv":     {"run"},
	"yarn":   {"exec"},
}

// keepers are the builtins that keep or read commands.
var keepers = []string{".", "source", "trap", "alias", "enable", "hash", "bind", "complete"}

// startedBy says what a command starts.
func startedBy(words []word) started {
	name := programOf(words)
	args := words[1:]
	if w, ok := wrappers[name]; ok && !(name == "command" && len(args) > 0 && args[0].is("-v", "-V")) {
		return w.run(name, args)
	}
	switch {
	case name == "":
		return started{}
	case slices.Contains(shells, unversioned(name)):
		return runShell(name, args)
	case name == "hyperfine":
		st := started{why: name + runsIts}
		for _, a := range args {
			st.script(a) // each word is a command line
		}
		return st
	case slices.Contains(keepers, name):
		return runText(name, args)
	case slices.Contains(commanded, name):
		return started{why: name + runsIts, any: true}
	case name == "find" || name == "fd" || name == "fdfind" || name == "jobs":
		return started{commands: execs(args)}
	case name == "git":
		return runGit(words)
	case runners[name] != nil:
		if i := slices.IndexFunc(args, func(a word) bool { return a.is(runners[name]...) }); i >= 0 {
			return started{same: wrapper{}.run(name, args[i+1:]).commands}
		}
		return started{}
	case isAwk(name):
		return started{guesses: awkTexts(args)}
	case slices.Contains(interpreters, unversioned(name)) && !hasProgram(args),
		name == "sqlite3" && !hasStatement(args):
		return started{why: name + " reads its program from its input"}
	}
	return started{guesses: optionTexts(args, scriptOptions[name])}
}

// mayRunOthers says whether a program whose name is not known may be one that
// runs what it is given.
func mayRunOthers(name word) bool {
	const longest = 100 // pieces; to compare more takes too long
	base := program(name, patternWord{})
	if len(base.shape) > longest {
		return true
	}
	return base.mayBe(shells...) || base.mayBe(commanded...) || base.mayBe(keepers...) ||
		base.mayBe("git", "find", "fd", "awk") || base.mayBe(slices.Collect(maps.Keys(wrappers))...)
}

// programOf is the name of the program without its folder, "" if it is not known.
func programOf(words []word) string {
	if words[0].kind != fixed {
		return ""
	}
	return program(words[0], patternWord{}).text
}

const runsIts = " runs what it is given"

// run finds the command behind a wrapper's own words. Behind an option that is
// not known it may begin at any word.
func (w wrapper) run(name string, args []word) started {
	st := started{why: name + runsIts, any: w.input}
	for _, text := range optionWords(args, w.texts) {
		st.script(text)
	}
	rest, sure := w.skip(args)
	rest = rest[min(w.operands, len(rest)):]
	for w.assigns && len(rest) > 0 && assignment().MatchString(rest[0].text) {
		rest = rest[1:]
	}
	sure = sure && (len(rest) == 0 || rest[0].kind == fixed)
	if w.script && len(rest) > 0 {
		st.script(rest...)
		return st
	}
	fillIn(rest, optionTexts(args[:len(args)-len(rest)], w.marks))
	for len(rest) > 0 && len(st.commands) < maxScripts {
		command := rest
		if w.more {
			command = append(slices.Clip(rest), unseenName())
		}
		st.commands = append(st.commands, command)
		if sure {
			break
		}
		rest = rest[1:]
	}
	return st
}

// unseenName is the name of some file, which no line shows.
func unseenName() word {
	w := openWord("…")
	w.shape = contents(".")
	return w
}

// fillIn makes words open that a wrapper fills something into.
func fillIn(words []word, marks []string) {
	for i, w := range words {
		for _, m := range append(marks, "{}") {
			if (w.kind == fixed || w.inBash != "") && m != "" && strings.Contains(w.said(), m) {
				words[i] = openWord(w.text)
			}
		}
	}
}

var assignment = lazily(`^[A-Za-z_][A-Za-z0-9_]*=`)

// script notes words that, joined, are the text of a command.
func (st *started) script(words ...word) {
	st.any = st.any || slices.ContainsFunc(words, func(w word) bool { return w.kind != fixed })
	if slices.ContainsFunc(words, func(w word) bool { return w.kind != fixed && w.inBash == "" }) {
		return
	}
	st.scripts = append(st.scripts, joinWords(words))
}

// skip cuts the options off. It is not sure when one of them is not known.
func (g getopt) skip(args []word) (rest []word, sure bool) {
	for len(args) > 0 {
		a := args[0]
		switch {
		case a.kind != fixed:
			return args, !a.option()
		case a.text == "--":
			return args[1:], true
		case len(a.text) < 2 || a.text[0] != '-':
			return args, true
		}
		n := g.width(a.text)
		if n == 0 {
			return args[1:], false
		}
		args = args[min(n, len(args)):]
	}
	return nil, true
}

// width is the number of words of an option with its value, 0 if the option is
// not known.
func (g getopt) width(option string) int {
	if name, long := strings.CutPrefix(option, "--"); long {
		name, _, joined := strings.Cut(name, "=")
		switch {
		case slices.Contains(g.long, name):
			return 1
		case !slices.Contains(g.long, name+"="):
			return 0
		case joined:
			return 1
		}
		return 2
	}
	for i := 1; i < len(option); i++ {
		j := strings.IndexByte(g.short, option[i])
		if j < 0 || option[i] == ':' {
			return 0
		}
		value := g.short[j+1:]
		switch last := i == len(option)-1; {
		case !strings.HasPrefix(value, ":"):
			continue
		case last && !strings.HasPrefix(value, "::"):
			return 2
		}
		return 1
	}
	return 1
}

// runShell finds the text behind -c. Without one a shell reads commands from a
// file, which is like any program, or from its input.
func runShell(name string, args []word) started {
	st := started{why: name + runsIts}
	for i := 0; i < len(args); i++ {
		a := args[i]
		short := a.kind == fixed && a.option() && !strings.HasPrefix(a.text, "--")
		switch {
		case a.kind != fixed:
			st.any = true
			return st
		case a.is("--rcfile", "--init-file", "-o", "+o", "-O", "+O"):
			i++
		case a.is("--command") || short && strings.Contains(a.text, "c"):
			st.text(args[i+1:])
			return st
		case short && strings.Contains(a.text, "s"):
			st.any = true
			return st
		case a.is("--", "-"):
			st.any = i+1 == len(args) || isInput(args[i+1])
			return st
		case !a.option() && !strings.HasPrefix(a.text, "+"):
			st.any = isInput(a)
			return st
		}
	}
	st.any = true // it reads them from its input
	return st
}

// isInput says whether a file is a stream of the program, or may be one.
func isInput(w word) bool {
	if w.kind != fixed && w.inBash == "" {
		return w.shape.vague()
	}
	p := cleanPath(w.said())
	return p == "/dev/stdin" || strings.HasPrefix(p, "/dev/fd/") || strings.HasPrefix(p, "/proc/") && strings.Contains(p, "/fd/")
}

// text notes the first word that is no option as the text of a command.
func (st *started) text(args []word) {
	for _, a := range args {
		if a.kind != fixed || !a.option() {
			st.script(a)
			return
		}
	}
	st.any = true
}

// runText is for the keepers.
func runText(name string, args []word) started {
	st := started{why: name + runsIts}
	switch {
	case name == "trap" && len(args) > 0:
		st.text(args)
	case (name == "." || name == "source") && len(args) > 0:
		st.any = isInput(args[0])
	}
	for _, a := range args {
		if _, text, ok := strings.Cut(a.said(), "="); ok && name == "alias" {
			st.script(a.part(text))
		}
	}
	return st
}

// interpreters are programs that read a program from their input when they are
// given none.
var interpreters = []string{"python", "pypy", "perl", "ruby", "node", "php", "lua", "deno", "bun", "osascript", "rscript", "julia", "tclsh"}

// hasProgram says whether an interpreter is given a program, or needs none.
func hasProgram(args []word) bool {
	for _, a := range args {
		if !a.is("-") && !isInput(a) && (!a.option() || a.is("-V", "--version", "-h", "--help", "--test")) {
			return true
		}
	}
	return false
}

var sqliteFlags = []string{"batch", "bail", "box", "column", "csv", "echo", "header", "html", "json", "line", "list", "markdown", "noheader", "quote", "readonly", "safe", "stats", "table", "tabs"}

// hasStatement says whether sqlite is given a statement behind its file. Options
// that are not known may take one of the words.
func hasStatement(args []word) bool {
	operands := 0
	for _, a := range args {
		switch {
		case !a.option():
			operands++
		case !slices.Contains(sqliteFlags, strings.TrimLeft(a.text, "-")):
			operands--
		}
	}
	return operands > 1
}

// execs are the commands behind -exec of find and -x of fd and jobs.
func execs(args []word) [][]word {
	var found [][]word
	for i, w := range args {
		if !w.is("-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch") {
			continue
		}
		var command []word
		for _, arg := range args[i+1:] {
			if arg.is(";", "+") {
				break
			}
			if strings.Contains(arg.text, "{") {
				arg = openWord(arg.text)
			}
			command = append(command, arg)
		}
		if len(command) > 0 {
			found = append(found, command)
		}
	}
	return found
}

var gitOptions = short("pPC:c:",
	"no-pager", "paginate", "bare", "no-replace-objects", "literal-pathspecs", "no-optional-locks", "no-lazy-fetch",
	"git-dir=", "work-tree=", "namespace=", "exec-path", "config-env=", "super-prefix=", "attr-source=")

// runGit takes git's own options off, so that rules see "git push" in "git -C
// there push", and finds what -c may make it run: pagers, editors, aliases.
func runGit(words []word) started {
	var st started
	rest, _ := gitOptions.skip(words[1:])
	own := words[1 : len(words)-len(rest)]
	if len(own) > 0 {
		st.same = append(st.same, append([]word{words[0]}, rest...))
	}
	for _, setting := range optionTexts(own, []string{"-c"}) {
		_, value, _ := strings.Cut(setting, "=")
		if text, isShell := strings.CutPrefix(value, "!"); isShell {
			st.guesses = append(st.guesses, text)
		} else {
			st.guesses = append(st.guesses, value, "git "+value)
		}
	}
	return st
}

// scriptOptions are the options of programs whose value is the text of a command.
var scriptOptions = map[string][]string{
	"tar":   {"--to-command", "--checkpoint-action", "--use-compress-program", "--rsh-command", "-I"},
	"rsync": {"--rsh", "-e"},
	"split": {"--filter"},
	"sort":  {"--compress-program"},
	"rg":    {"--pre"},
	"go":    {"-exec", "-toolexec", "-vettool"},
	"man":   {"-P", "--pager"},
}

// optionWords are the values of these options: in the next word, behind =, or
// joined to a short one, which may stand behind others.
func optionWords(args []word, options []string) (values []word) {
	for i, a := range args {
		text := a.said()
		for _, o := range options {
			value, ok := strings.CutPrefix(text, o)
			if j := strings.IndexByte(text, o[1]); len(o) == 2 && j > 0 && a.option() && text[1] != '-' {
				value, ok = text[j+1:], true
			}
			switch {
			case !ok:
			case value == "" && i+1 < len(args):
				values = append(values, args[i+1])
			case strings.HasPrefix(value, "="):
				values = append(values, a.part(strings.TrimPrefix(value[1:], "exec=")))
			case len(o) == 2:
				values = append(values, a.part(value))
			}
		}
	}
	return values
}

// optionTexts are the texts of optionWords.
func optionTexts(args []word, options []string) (texts []string) {
	for _, w := range optionWords(args, options) {
		texts = append(texts, w.said())
	}
	return texts
}

var quoted = lazily(`"(?:[^"\\]|\\.)*"`)

// awkTexts are the strings of an awk program that may run some of them.
func awkTexts(args []word) []string {
	var texts []string
	for _, a := range args {
		if !strings.ContainsAny(a.said(), "|@") && !strings.Contains(a.said(), "system") {
			continue
		}
		for _, q := range quoted().FindAllString(a.said(), maxScripts) {
			texts = append(texts, unescape(q[1:len(q)-1], `"\`))
		}
	}
	return texts
}

func isAwk(name string) bool {
	return slices.Contains([]string{"awk", "gawk", "mawk", "nawk", "original-awk"}, unversioned(name))
}
