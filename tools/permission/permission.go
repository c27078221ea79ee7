// Package permission decides whether a call may run: rules of allow, ask and
// deny over the classes read, write and exec.
//
// # Rules
//
// A rule is a line of a verdict, what it speaks of, and a pattern:
//
//	allow exec git log *        commands
//	deny write .git/**          files that change, also by a redirection
//	deny read **/.env           files that are looked at
//	allow tool weather          one tool by its name; "tool" may be left out
//	allow write_file docs/**    one tool, some of its files
//	ask exec git push *         a person is asked, whatever the mode
//
// Without a pattern a rule speaks of everything of its class or tool. The
// pattern of a path is a glob (** for any folders) below the working folder; it
// holds for the file meant, however its path is spelled. A deny rule also holds
// for all that lies below, for other letter cases, and for other names of the
// file by way of links when [Policy.Dir] is set. The pattern of a command is
// written as the command is; a lone * stands for any number of words, a * within
// a word for any text.
//
// A call is judged in this order: deny rules; echoes (a person has to say);
// allow and ask rules, of which the most specific counts and the later of two
// equals; the default of the class; the mode.
//
// # Commands
//
// A command line is parsed, never searched, and judged by its parts: every
// simple command in it has to be allowed, a redirection to a file is a write of
// that file, and the strictest verdict counts. Words are compared as the program
// would get them: quotes and backslashes make no difference.
//
// A rule with a pattern never allows what cannot be read off the line: command
// and process substitution, variables in place of the command, assignments,
// functions, constructs that shells read differently, text that does not parse,
// and programs that run what they are given (sh, eval, env, xargs, timeout,
// sudo, …). Nor does its * cover words by which a harmless program runs another
// or writes a file, such as find -delete, git -c or sort -o, nor what the shell
// may still expand to them; a rule can name them. They are known of common
// programs; with any other a * covers them too.
// All of that is asked for unless the mode, or a rule without a pattern, says
// otherwise.
//
// A deny rule holds when any command matches it, also inside substitutions,
// functions, wrappers and the text given to sh -c or eval, as far as these can
// be read. Where it can only be guessed whether a deny rule matches, because a
// variable stands in the way or the line cannot be parsed, a person is asked,
// whatever the mode.
//
// The files that a command names are held against deny and ask rules too: what
// may not be read may not be read by cat either, and what may not be written not
// by cp. With programs of which nothing is known, with those that go through
// folders (grep -r, find -exec, tar, cp -r, rm -r), with names that the shell has still to
// expand, and with names that stand elsewhere in the line (in a variable, in quotes
// within a program, in a here-document), it can only be guessed, and a person is
// asked. So it is when a program writes files that only an archive, a patch or
// another commit names (tar -x, unzip, patch, git apply, git checkout): any of them
// may be one that a rule about writing speaks of.
//
// Other programs may open files that no line shows; keep those out of reach by
// other means. Copies of a file, in an archive or in what git has of it, are files
// of their own. Tools that walk over files by themselves leave out what
// [Policy.Hides] names.
package permission

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/localagent/localagent/tools"
)

// Verdict is what a policy says of a call.
type Verdict uint8

const (
	Ask Verdict = iota // a person has to say
	Allow
	Deny
)

func (v Verdict) String() string {
	switch v {
	case Allow:
		return "allow"
	case Deny:
		return "deny"
	}
	return "ask"
}

// stricter says whether v leaves less room than w: deny, ask, allow.
func (v Verdict) stricter(w Verdict) bool {
	rank := [...]int{Ask: 1, Allow: 0, Deny: 2}
	return rank[v] > rank[w]
}

// Mode is what happens to calls that no rule names.
type Mode string

const (
	ModeAsk   Mode = "ask"   // reads run, the rest is asked for (the default)
	ModeNever Mode = "never" // reads run, the rest is refused without asking
	ModeEdits Mode = "edits" // reads and file changes below the working folder run, but in .git, .localagent.toml and what is guarded
	ModeAll   Mode = "all"   // everything runs, echoes apart
)

// A Policy decides. Its zero value has no rules and asks for what is not a read.
// It must not change while it is used.
type Policy struct {
	Mode  Mode
	Rules []Rule // by rising precedence: of two equals the later counts

	// Default is the verdict on calls of a class that no rule names. A class
	// that is not in it is left to the mode, and so is Ask, which keeps reads
	// from running by themselves in the modes ask and never.
	Default map[tools.Class]Verdict

	// Guarded are files and folders that ModeEdits leaves to a person too: what the
	// program that asks goes by, such as its own config.
	Guarded []string

	// Dir is the folder that relative paths start from. When it is set, links
	// are followed, so that a rule holds for every name of a file.
	Dir string
}

// A Decision is a verdict and its reason.
type Decision struct {
	Verdict Verdict
	By      string // rule, session, echo, default or mode
	Rule    string // the rule as written, when By is rule or session
	Why     string // one line for people
}

// Decide judges a call of t with these arguments, a JSON object. An echo is a
// call that also stands in text the model was given; see package loop.
//
// An Ask in [ModeNever] is a refusal: nobody is to be asked.
func (p *Policy) Decide(t *tools.Tool, args json.RawMessage, echo bool) Decision {
	if t == nil {
		t = &tools.Tool{} // of class exec, without a name that a rule could have
	}
	rules := p.compile()
	q := p.newRequest(t, args)
	if d, ok := forbid(rules, q); ok {
		return d
	}
	if echo && q.class != tools.Read {
		return Decision{Ask, "echo", "", "the same call stands in text the model was given: perhaps it is copied and not meant"}
	}
	if r := granted(rules, q); r != nil {
		return decided(r, q.text)
	}
	return p.judge(rules, q)
}

// forbid applies the deny rules. A rule that only may match makes a person
// decide, unless one has done so for this very command line.
func forbid(rules []ruling, q *request) (Decision, bool) {
	var doubt Decision
	found := false
	for _, r := range rules {
		if r.Verdict != Deny {
			continue
		}
		for j := range q.acts {
			a := &q.acts[j]
			switch r.matches(q, a) {
			case yes:
				return decided(r.Rule, a.text), true
			case maybe:
				if !found {
					doubt, found = doubted(r.Rule, a), true
				}
			}
		}
	}
	return doubt, found && granted(rules, q) == nil
}

// granted is the rule that allows exactly this command line, or nil.
func granted(rules []ruling, q *request) *Rule {
	for _, r := range rules {
		if r.Verdict == Allow && r.exactly(q) {
			return r.Rule
		}
	}
	return nil
}

// judge is the strictest verdict on the parts of a call.
func (p *Policy) judge(rules []ruling, q *request) Decision {
	d, first := Decision{}, true
	for i := range q.acts {
		a := &q.acts[i]
		next := p.judgeAct(rules, q, a)
		if a.mention != no && next.Verdict == Allow {
			continue // it is no act of its own
		}
		if first || next.Verdict.stricter(d.Verdict) {
			d, first = next, false
		}
	}
	return d
}

func (p *Policy) judgeAct(rules []ruling, q *request, a *act) Decision {
	if best := mostSpecific(rules, q, a); best != nil {
		return decided(best, a.text)
	}
	if a.mention != no {
		return Decision{Verdict: Allow}
	}
	return p.fallback(a)
}

// mostSpecific is the allow or ask rule that counts for an act, or nil.
func mostSpecific(rules []ruling, q *request, a *act) *Rule {
	var best *Rule
	for _, r := range rules {
		if r.covers(q, a) && (best == nil || r.weight() >= best.weight()) {
			best = r.Rule
		}
	}
	return best
}

// fallback is the verdict on what no rule names.
func (p *Policy) fallback(a *act) Decision {
	def, set := p.Default[a.class]
	if set && def != Ask {
		word := map[Verdict]string{Allow: "allowed", Deny: "forbidden"}[def]
		return Decision{def, "default", "", fmt.Sprintf("%s is %s by default", a.class, word)}
	}
	v, mode := Ask, cmp.Or(p.Mode, ModeAsk)
	switch {
	case mode == ModeAll,
		mode == ModeEdits && a.class == tools.Write && a.ordinary() && !p.guards(a),
		mode == ModeEdits && a.class == tools.Read,
		a.class == tools.Read && !set:
		v = Allow
	}
	why := fmt.Sprintf("--approve %s", mode)
	if v == Ask {
		why = a.reason() + " (" + why + ")"
	}
	return Decision{v, "mode", "", why}
}

func decided(r *Rule, what string) Decision {
	by, verb := "rule", "wants a person to allow"
	switch r.Verdict {
	case Allow:
		verb = "allows"
	case Deny:
		verb = "forbids"
	}
	if r.Source == SourceSession {
		by = "session"
	}
	why := fmt.Sprintf("the rule %q%s %s %s", r, r.from(), verb, what)
	return Decision{r.Verdict, by, r.String(), why}
}

func doubted(r *Rule, a *act) Decision {
	why := fmt.Sprintf("the rule %q%s may forbid %s", r, r.from(), a.text)
	if a.why != "" {
		why += ": " + a.why
	}
	return Decision{Ask, "rule", r.String(), why}
}
