package permission

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/localagent/localagent/tools"
)

// SourceSession is the source of rules that a person granted for a session.
const SourceSession = "session"

// A Rule allows, asks for or denies calls of one class or tool. [ParseRule]
// reads one and [Rule.String] writes it back.
type Rule struct {
	Verdict Verdict
	Class   tools.Class // not looked at when Tool is set
	Tool    string      // "": any tool of the class
	Pattern string      // of the path or command; "": any
	Exact   bool        // Pattern is a whole command line, to the letter
	Source  string      // where it came from: "--allow", "config.toml:12", …
}

var toolName = lazily(`^[A-Za-z_][A-Za-z0-9_.:/-]{0,63}$`)

// lazily compiles an expression when it is first used: most programs that link
// this package start without needing it.
func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// exactly introduces a whole command line in a rule.
const exactly = "exactly"

// ParseRule reads a rule that begins with its verdict: "allow exec git log *".
func ParseRule(s, source string) (Rule, error) {
	word, rest := cutWord(s)
	for _, v := range []Verdict{Allow, Ask, Deny} {
		if word == v.String() {
			return ParseRuleAs(v, rest, source)
		}
	}
	return Rule{}, fmt.Errorf("permission: rule %.80q: it begins with %.40q, want allow, ask or deny, as in %q", s, word, "deny write .git/**")
}

// ParseRuleAs reads a rule without its verdict, which the place it stands in has
// given: "exec git log *" behind --allow.
func ParseRuleAs(v Verdict, s, source string) (Rule, error) {
	r := Rule{Verdict: v, Source: source}
	word, rest := cutWord(s)
	switch {
	case word == "", word == "tool" && rest == "":
		return Rule{}, fmt.Errorf("permission: rule %.80q: want read, write, exec or a tool, and a pattern, as in %q", s, "exec git log *")
	case word == "tool":
		r.Tool, rest = cutWord(rest)
	case r.Class.UnmarshalText([]byte(word)) == nil:
	default:
		r.Tool = word
	}
	r.Pattern = rest
	if r.Class == tools.Exec {
		r.Pattern, r.Exact = cutExactly(rest)
	}
	if err := r.check(s); err != nil {
		return Rule{}, err
	}
	return r, nil
}

func (r *Rule) check(written string) error {
	switch {
	case r.Tool == "" && r.Class == tools.Exec && !r.Exact && r.Pattern != "":
		if _, err := readPattern(r.Pattern); err != nil {
			return fmt.Errorf("permission: rule %.80q: %w", written, err)
		}
	case r.Tool == "" && r.Class != tools.Exec && !doublestar.ValidatePattern(r.Pattern):
		return fmt.Errorf("permission: rule %.80q: %q is no pattern of paths; a backslash makes the next character an ordinary one", written, r.Pattern)
	case (r.Tool != "" || r.Class != tools.Exec) && strings.Count(r.Pattern, "{") > maxBraces:
		return fmt.Errorf("permission: rule %.80q: more than %d lists in braces; write several rules", written, maxBraces)
	case r.Tool != "" && !toolName().MatchString(r.Tool):
		return fmt.Errorf("permission: rule %.80q: %.40q is neither read, write nor exec, nor the name of a tool, as in %q", written, r.Tool, "deny read **/.env")
	}
	return nil
}

// maxBraces is how many lists of alternatives the pattern of a path may have: each
// doubles the time of a comparison.
const maxBraces = 8

// String is the rule as it is written in a config file.
func (r *Rule) String() string {
	s := r.Verdict.String() + " "
	switch {
	case r.Tool == "":
		s += r.Class.String()
	case r.Tool == "read" || r.Tool == "write" || r.Tool == "exec" || r.Tool == "tool" || r.Pattern == "":
		s += "tool " + r.Tool
	default:
		s += r.Tool
	}
	if r.Exact {
		s += " " + exactly
	}
	if r.Pattern != "" {
		s += " " + r.Pattern
	}
	return s
}

// from is where the rule came from, in brackets.
func (r *Rule) from() string {
	if r.Source == "" || r.Source == SourceSession {
		return ""
	}
	return " (" + r.Source + ")"
}

// weight says how specific a rule is: the more it spells out, the more.
func (r *Rule) weight() int {
	if r.Exact {
		return 1 << 30
	}
	n := len(r.Pattern) - strings.Count(r.Pattern, "*")
	if r.Tool != "" {
		n++
	}
	return n
}

// A ruling is a rule whose pattern of commands has been read.
type ruling struct {
	*Rule
	words pattern // nil: it has none, or none that can be read
}

// compile reads the patterns of the rules.
func (p *Policy) compile() []ruling {
	rules := make([]ruling, len(p.Rules))
	for i := range p.Rules {
		r := &p.Rules[i]
		rules[i].Rule = r
		if r.Class == tools.Exec && r.Pattern != "" && !r.Exact {
			rules[i].words, _ = readPattern(r.Pattern)
		}
	}
	return rules
}

// A level is how surely a pattern matches.
type level uint8

const (
	no    level = iota
	maybe       // it depends on what cannot be seen here
	yes
)

// matches says whether the rule speaks of the act, in the sense of a deny rule:
// what may be meant counts too.
func (r ruling) matches(q *request, a *act) level {
	switch {
	case r.Tool != "" && r.Tool != q.tool, r.Tool == "" && r.Class != a.class:
		return no
	case r.Exact:
		return levelOf(r.exactly(q))
	case r.Pattern == "":
		return levelOf(a.mention == no)
	case r.Tool != "" && a.class != q.class:
		return no // the pattern is one of commands, the act is their redirection
	case a.class != tools.Exec:
		return min(a.matchPath(r.Pattern), a.surely())
	case a.unknown:
		return maybe
	case a.words == nil:
		return levelOf(r.Tool != "") // a pattern, and nothing to compare it with
	case r.words == nil:
		return maybe
	}
	return r.words.match(a.words, false)
}

// covers says whether an allow or ask rule speaks of the act. An ask rule does so
// as a deny rule would; an allow rule only when nothing is left to guess.
func (r ruling) covers(q *request, a *act) bool {
	switch {
	case r.Verdict == Deny:
		return false
	case r.Verdict == Ask:
		return r.matches(q, a) != no
	case r.Exact || a.mention != no:
		return false
	case r.Tool != "" && r.Tool != q.tool, r.Tool == "" && r.Class != a.class:
		return false
	case r.Pattern == "":
		return true
	case r.Tool != "" && a.class != q.class:
		return false
	case a.class != tools.Exec:
		return a.why == "" && a.within(r.Pattern)
	case a.words == nil || a.why != "" || r.words == nil:
		return false
	}
	return r.words.match(a.words, true) == yes
}

// exactly says whether the rule names this whole command line.
func (r *Rule) exactly(q *request) bool {
	return r.Exact && q.command != "" && r.Pattern == q.command &&
		(r.Tool == q.tool || r.Tool == "" && r.Class == q.class)
}

func levelOf(b bool) level {
	if b {
		return yes
	}
	return no
}

// cutWord cuts the first word off.
func cutWord(s string) (word, rest string) {
	s = strings.TrimSpace(s)
	if i := strings.IndexAny(s, " \t\n"); i >= 0 {
		return s[:i], strings.TrimSpace(s[i:])
	}
	return s, ""
}

func cutExactly(s string) (pattern string, exact bool) {
	if word, rest := cutWord(s); word == exactly && rest != "" {
		return rest, true
	}
	return s, false
}
