package permission

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/localagent/localagent/tools"
	"github.com/localagent/localagent/tools/internal/cut"
	"mvdan.cc/sh/v3/syntax"
)

// Limits of what is read as a command; what goes beyond them is asked for. The
// parser recurses: these many bytes take it some 50 MB of stack at worst, where
// a million brackets would end the program.
const (
	maxCommand = 32 << 10 // bytes of a command line
	maxNesting = 500      // brackets in brackets, where no quotes disturb the count
	maxWords   = 8192     // words of its commands, those of wrappers counted again
	maxScripts = 64       // texts given to sh -c, eval and the like
	maxFolders = 16       // folders that its cd commands may lead to
)

// A shell reads a command line into acts. It recurses nowhere: texts that the
// line gives to other shells wait in todo.
type shell struct {
	policy  *Policy
	folders []string // where the line may be when it names a file; "": the working folder
	moved   bool     // a cd stands in the line
	flows   bool     // what a command prints, or a here-document, may become words of another
	splits  bool     // the value of a variable may become several words
	globs   bool     // what * stands for may be another
	lost    bool     // the line may be in folders that are not among them

	acts    []act
	todo    []script
	printed []word // texts that become words if it flows
	kept    []word // values of variables that become words if they are split

	words int    // of the commands that were taken apart
	src   string // of the script that is being read
	guess bool   // nobody knows that it is one
}

// A script is text for a shell; a guess may be no such thing.
type script struct {
	text  string
	guess bool
}

// watched says whether there are deny or ask rules about files of the class.
func (s *shell) watched(class tools.Class) bool {
	return slices.ContainsFunc(s.policy.Rules, func(r Rule) bool {
		return r.Verdict != Allow && r.Tool == "" && r.Class == class && r.Pattern != ""
	})
}

// line reads a command line. It finds at least one act of class exec.
func (s *shell) line(command string) {
	s.todo = append(s.todo, script{text: command})
	s.finish()
	if len(s.acts) == 0 {
		s.barred("this line", "there is no command in it")
	}
}

// finish reads the scripts that wait, and gives the files their places.
func (s *shell) finish() {
	for n := 0; len(s.todo) > 0; n++ {
		next := s.todo[0]
		s.todo = s.todo[1:]
		if n == maxScripts {
			s.hidden(next.text, "the line holds too many scripts")
			break
		}
		s.src, s.guess = next.text, next.guess
		s.globs = s.globs || globNames().MatchString(next.text)
		s.script(next.text)
	}
	s.passOn()
	s.settle()
}

func (s *shell) script(src string) {
	switch {
	case len(src) > maxCommand:
		s.hidden(src, fmt.Sprintf("it is longer than %d bytes", maxCommand))
		return
	case nesting(src) > maxNesting:
		s.hidden(src, "it is nested too deep")
		return
	case !utf8.ValidString(src) || strings.ContainsFunc(src, isControl):
		s.hidden(src, "it holds characters that do not belong in a command")
		return
	case brokenOddly().MatchString(src):
		s.hidden(src, "a line is broken where not every shell reads on the same way")
		return
	}
	// All statements before the first is looked at: the text of a here-document
	// comes after the rest of its line.
	var stmts []*syntax.Stmt
	var failed error // the parser may tell of it twice, and cannot be left before
	for stmt, err := range syntax.NewParser(syntax.Variant(syntax.LangBash)).StmtsSeq(strings.NewReader(src)) {
		if failed == nil {
			failed = err
		}
		if failed == nil {
			stmts = append(stmts, stmt)
		}
	}
	if failed != nil { // a shell runs the lines before
		s.hidden(src, "it does not parse as shell: "+failed.Error())
	}
	for _, stmt := range stmts {
		syntax.Walk(stmt, func(n syntax.Node) bool {
			s.node(n)
			return true
		})
	}
}

// brokenOddly finds line breaks behind a backslash that the parser takes for none
// and shells for one, or the other way round: in what looks like a comment, which
// goes no further than its line, between a $ and what belongs to it, and at the end.
var brokenOddly = lazily("(?m)(?:^|[\\s;&|()<>`])#.*\\\\$|[$]\\\\$|\\\\\\z")

// nesting is how deep brackets stand in brackets. It knows nothing of quotes: it
// saves time with what is absurd, and is no protection.
func nesting(src string) (most int) {
	depth := 0
	for _, c := range []byte(src) {
		switch c {
		case '(', '{', '[':
			depth++
			most = max(most, depth)
		case ')', '}', ']':
			depth = max(depth-1, 0)
		}
	}
	return most
}

func isControl(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f }

// barred notes something that only a person, or a rule for everything, can allow.
func (s *shell) barred(text, why string) {
	s.add(act{class: tools.Exec, text: shorten(text), why: why})
}

// hidden is barred for something that may be any command.
func (s *shell) hidden(text, why string) {
	s.add(act{class: tools.Exec, text: shorten(text), why: why, unknown: true})
}

// add notes an act. Of a text that may be no script at all, only commands that a
// rule may forbid are of interest.
func (s *shell) add(a act) {
	if s.guess {
		if a.words == nil {
			return
		}
		a.mention = yes
	}
	s.acts = append(s.acts, a)
}

// node notes what a node of the syntax tree does by itself; Walk brings its
// children.
func (s *shell) node(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.CallExpr:
		s.call(n)
	case *syntax.Redirect:
		s.redirect(n)
	case *syntax.Stmt:
		if n.Coprocess || n.Disown {
			s.odd(n)
		}
		s.split(n)
	case *syntax.BinaryCmd:
		if n.Op == syntax.PipeAll {
			s.odd(n)
		}
		s.flows = s.flows || n.Op == syntax.Pipe || n.Op == syntax.PipeAll
	case *syntax.ForClause:
		s.loop(n)
	case *syntax.DeclClause:
		s.declare(n)
	case *syntax.Assign:
		s.held(n.Value)
		s.heldKey(n.Index)
		s.keeps(n.Value)
	case *syntax.ArrayElem:
		s.held(n.Value)
		s.heldKey(n.Index)
	case *syntax.CmdSubst, *syntax.ProcSubst:
		s.flows = true
		s.barred(source(s.src, n), "a substitution runs a command in it")
	case *syntax.ParamExp:
		if text := source(s.src, n); strings.Contains(text, "<(") || strings.Contains(text, ">(") {
			s.veiled(n) // the parser knows no process substitution there
		} else if !plainParam(n) {
			s.barred(text, "the shell computes what stands there")
		}
		if n.Exp != nil {
			s.held(n.Exp.Word)
		}
	case *syntax.ArithmExp:
		if !numbersOnly(n) {
			s.barred(source(s.src, n), "the shell computes what stands there")
		}
	case *syntax.SglQuoted:
		if n.Dollar && strings.Contains(n.Value, `\'`) {
			s.veiled(n)
		} else if n.Dollar {
			s.odd(n)
		}
	case *syntax.DblQuoted:
		if n.Dollar {
			s.odd(n)
		}
	case *syntax.FuncDecl:
		s.barred(source(s.src, n), "it defines a function")
	case *syntax.TimeClause:
		s.barred(source(s.src, n), "time starts another program")
	case *syntax.ArithmCmd:
		s.veiled(n)
	case *syntax.TestClause:
		if strings.ContainsAny(source(s.src, n), "|&<>()") {
			s.veiled(n)
		} else {
			s.odd(n)
		}
	case *syntax.LetClause, *syntax.CoprocClause, *syntax.TestDecl,
		*syntax.ArrayExpr, *syntax.ExtGlob, *syntax.CStyleLoop:
		s.odd(n)
	}
}

// split notes &> before words: to some shells it ends the command, and what
// follows is another.
func (s *shell) split(n *syntax.Stmt) {
	c, ok := n.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) == 0 {
		return
	}
	last := c.Args[len(c.Args)-1].Pos()
	for _, r := range n.Redirs {
		if (r.Op == syntax.RdrAll || r.Op == syntax.AppAll) && last.After(r.Pos()) {
			s.veiled(n)
		}
	}
}

// odd notes what shells read in different ways.
func (s *shell) odd(n syntax.Node) {
	s.barred(source(s.src, n), oddly)
}

// veiled notes what to some shells is, or holds, another command.
func (s *shell) veiled(n syntax.Node) { s.hidden(source(s.src, n), oddly) }

const oddly = "not every shell reads this the same way"

// call notes a simple command, the commands it starts, and the files it names.
func (s *shell) call(c *syntax.CallExpr) {
	for _, a := range c.Assigns {
		if len(c.Args) == 0 || !harmless(a) {
			s.barred(source(s.src, a), "it sets a variable")
		}
	}
	if len(c.Args) == 0 {
		return
	}
	words := make([]word, len(c.Args))
	for i, w := range c.Args {
		words[i] = s.read(w)[0]
	}
	s.command(words, shorten(source(s.src, c)))
}

// read reads a word, if there is one, and notes whether it is split.
func (s *shell) read(w *syntax.Word) []word {
	if w == nil {
		return nil
	}
	read := readWord(w, s.src)
	s.splits = s.splits || read.splits
	return []word{read}
}

// command notes a command by its words. Commands that it starts come after it;
// each is shorter than the one it stands in, or has a script of the budget.
func (s *shell) command(words []word, text string) {
	type item struct {
		words   []word
		mention level // of what is another way to say the command before
	}
	for todo := []item{{words, no}}; len(todo) > 0; todo = todo[1:] {
		words, mention := todo[0].words, todo[0].mention
		if s.words += len(words); s.words > maxWords {
			s.hidden(text, "the line holds too many words")
			return
		}
		started := startedBy(words)
		a := act{class: tools.Exec, words: words, text: text, why: started.why, mention: mention}
		if words[0].kind != fixed {
			a.why = "what it runs is decided only when it runs"
			started.any = mayRunOthers(words[0])
		}
		if started.any {
			s.add(act{class: tools.Exec, text: shorten(text), why: cmp.Or(started.why, a.why), unknown: true, mention: mention})
		}
		markDangers(words)
		s.add(a)
		for _, t := range started.scripts {
			s.todo = append(s.todo, script{t, s.guess || mention != no})
		}
		for _, t := range started.guesses {
			s.todo = append(s.todo, script{t, true})
		}
		for _, c := range started.commands {
			todo = append(todo, item{c, mention})
		}
		for _, c := range started.same {
			todo = append(todo, item{c, yes})
		}
		s.changeFolder(words)
		s.globs = s.globs || changesGlobs(words, started.any)
		s.mentions(words)
		if unpacks(programOf(words), words[1:]) {
			s.unpack(text)
		}
	}
}

// redirect notes a redirection: of a file it is a read or a write.
func (s *shell) redirect(r *syntax.Redirect) {
	if r.N != nil && strings.Trim(r.N.Value, "0123456789") != "" {
		s.odd(r)
	}
	class := tools.Write
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		if !plainEnd(r, s.src) {
			s.hidden(source(s.src, r), "not every shell finds the same end of the text")
		}
		s.held(r.Hdoc)
		s.prints(s.read(r.Hdoc))
		return
	case syntax.WordHdoc:
		s.held(r.Word)
		s.prints(s.read(r.Word))
		return
	case syntax.RdrIn:
		class = tools.Read
	case syntax.DplIn, syntax.DplOut:
		switch w := readWord(r.Word, s.src); {
		case w.kind == fixed && isDescriptor(w.text):
			return
		case strings.HasPrefix(source(s.src, r.Word), "-"): // a dash closes the stream, the rest is a word
			s.veiled(r)
		}
	}
	w := readWord(r.Word, s.src)
	if w.kind == fixed && isStream(w.text) {
		return
	}
	a := act{class: class, text: shorten(source(s.src, r)), raw: w.text}
	switch {
	case w.kind != fixed:
		a.raw, a.shape, a.dir, a.why = "", w.shape, s.policy.Dir, "what file it is about is decided only when it runs"
	case strings.HasPrefix(w.text, "/dev/tcp/") || strings.HasPrefix(w.text, "/dev/udp/"):
		s.barred(a.text, "it opens a connection")
	}
	s.add(a)
}

var hereEnd = lazily(strings.ReplaceAll(`^(?:\\?W|'W'|"W")$`, "W", `[A-Za-z0-9_][A-Za-z0-9_.-]*`))

// plainEnd says whether all shells see the same end of a here-document: its word
// has no odd characters, and no line of the text is that word when a backslash at
// its end joins it to the next.
func plainEnd(r *syntax.Redirect, src string) bool {
	written := source(src, r.Word)
	if !hereEnd().MatchString(written) {
		return false
	}
	if r.Hdoc == nil {
		return true
	}
	text, end := source(src, r.Hdoc), strings.Trim(written, `'"\`)
	text = text[:strings.LastIndexByte(text, '\n')+1] // without the end itself
	for line := range strings.SplitSeq(text+"\n"+strings.ReplaceAll(text, "\\\n", ""), "\n") {
		if strings.Trim(line, " \t") == end {
			return false
		}
	}
	return true
}

// isDescriptor says whether the word behind >& is the number of a stream, or
// closes one; any other is the name of a file.
func isDescriptor(w string) bool {
	return w != "" && strings.Trim(strings.TrimSuffix(w, "-"), "0123456789") == ""
}

// isStream says whether a file is nothing but a stream of the program.
func isStream(p string) bool {
	return slices.Contains([]string{"/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"}, p)
}

// loop notes what a for loop may do to its variable, and that its words may come
// to be names of files. Variables of the environment are in capitals; PATH or IFS
// would change every command that follows.
func (s *shell) loop(f *syntax.ForClause) {
	iter, ok := f.Loop.(*syntax.WordIter)
	if f.Select || !ok {
		s.odd(f)
	}
	if !ok {
		return
	}
	if !ownName(iter.Name.Value) {
		s.barred("for "+iter.Name.Value, "it sets a variable")
	}
	words := []word{fixedWord("for")}
	for _, item := range iter.Items {
		words = append(words, s.read(item)...)
	}
	s.mentions(words)
}

// declare notes export, declare and their kind.
func (s *shell) declare(d *syntax.DeclClause) {
	words := []word{fixedWord(d.Variant.Value)}
	for _, a := range d.Args {
		if a.Naked && a.Value != nil {
			words = append(words, readWord(a.Value, s.src))
			s.globs = s.globs || words[len(words)-1].kind != fixed // nobody knows which variable
		} else {
			words = append(words, openWord(source(s.src, a)))
		}
	}
	s.add(act{class: tools.Exec, words: words, text: shorten(source(s.src, d)), why: "it sets a variable"})
}

var lowerName = lazily(`^[a-z_][a-z0-9_]*$`)

// ownName says whether a variable is a script's own, by the custom of its case;
// http_proxy, npm_config_prefix and their kind are exceptions.
func ownName(name string) bool {
	return lowerName().MatchString(name) && !strings.HasSuffix(name, "_proxy") && !strings.HasPrefix(name, "npm_")
}

// harmless says whether an assignment before a command can only change how it
// speaks.
func harmless(a *syntax.Assign) bool {
	if a.Append || a.Index != nil || a.Array != nil || a.Name == nil {
		return false
	}
	name := a.Name.Value
	return name == "LANG" || name == "NO_COLOR" || strings.HasPrefix(name, "LC_")
}

// plainParam says whether an expansion is a variable's value and no more.
func plainParam(p *syntax.ParamExp) bool {
	return p.Param != nil && !p.Excl && !p.Length && !p.Width && !p.IsSet && p.Flags == nil &&
		p.NestedParam == nil && p.Index == nil && len(p.Modifiers) == 0 &&
		p.Slice == nil && p.Repl == nil && p.Names == 0 && p.Exp == nil
}

// numbersOnly says whether an arithmetic expansion has no variables. The value
// of one would be read as an expression, which may hold a substitution.
func numbersOnly(a *syntax.ArithmExp) bool {
	ok := true
	syntax.Walk(a.X, func(n syntax.Node) bool {
		if w, isWord := n.(*syntax.Word); isWord {
			_, err := strconv.ParseInt(w.Lit(), 0, 64)
			ok = ok && err == nil
		}
		return ok
	})
	return ok
}

// changeFolder notes that the folder of what follows is another.
func (s *shell) changeFolder(words []word) {
	switch {
	case words[0].is("find") && slices.ContainsFunc(words, func(w word) bool { return w.is("-execdir", "-okdir") }):
		s.lost = true
		return
	case !words[0].is("cd", "chdir", "pushd", "popd"):
		return
	}
	s.moved = true
	if len(words) == 1 {
		s.enter("~")
	}
	for _, w := range words[1:] {
		if w.kind == fixed {
			s.enter(w.text)
		} else {
			s.lost = true
		}
	}
}

// enter notes a folder that the line may come to.
func (s *shell) enter(dir string) {
	if _, ok := ofNobody(dir); ok {
		s.lost = true
		return
	}
	for _, f := range s.folders {
		to := join(f, dir)
		switch {
		case slices.Contains(s.folders, to):
		case len(s.folders) == maxFolders:
			s.lost = true
		default:
			s.folders = append(s.folders, to)
		}
	}
}

// join is the path p taken from folder f. It stays as it is written otherwise:
// "link/.." need not lead back.
func join(f, p string) string {
	if f == "" || filepath.IsAbs(p) || strings.HasPrefix(p, "~") {
		return p
	}
	return f + "/" + p
}

// ofNobody cuts the folder off that a tilde stands for when it is neither the
// user's own, nor the working folder: ~ann, ~-.
func ofNobody(p string) (rest string, ok bool) {
	first, rest, _ := strings.Cut(p, "/")
	return rest, len(first) > 1 && first[0] == '~' && first != "~+"
}

// settle gives the acts about files their places, now that all folders are known.
func (s *shell) settle() {
	for i := range s.acts {
		a := &s.acts[i]
		if s.globs && a.shape != nil {
			a.shape = a.shape.loose()
		}
		if a.raw == "" {
			continue
		}
		here, isHere := strings.CutPrefix(a.raw, "~+") // some shells know it
		isHere = isHere && (here == "" || here[0] == '/')
		relative := isHere || join("x", a.raw) != a.raw
		if s.moved && a.why == "" && relative {
			a.why = "the line changes its folder first"
		}
		for _, f := range s.folders {
			a.place(s.policy.Dir, join(f, a.raw))
			if isHere {
				a.place(s.policy.Dir, join(f, "."+here))
			}
		}
		if rest, ok := ofNobody(a.raw); ok {
			a.shape = shape(nil).add(anyText).text("/" + rest)
		} else if s.lost && relative {
			a.shape = shape(nil).add(anyText).text("/" + a.raw)
		}
	}
}

// shorten bounds a text that a reason quotes.
func shorten(s string) string {
	const most = 120
	if len(s) <= most {
		return s
	}
	return s[:cut.End(s, most)] + "…"
}
