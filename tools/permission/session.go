package permission

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/localagent/localagent/tools"
	"mvdan.cc/sh/v3/syntax"
)

// A Session is a policy and what a person has allowed "always" while it is used.
// It is safe for concurrent use. Policy must be set first and not change.
type Session struct {
	Policy *Policy

	mu      sync.Mutex
	granted []Rule
}

// Decide judges a call as [Policy.Decide] does, with what was granted.
func (s *Session) Decide(t *tools.Tool, args json.RawMessage, echo bool) Decision {
	return s.policy().Decide(t, args, echo)
}

// Hides says what a walk leaves out as [Policy.Hides] does, with what was granted.
func (s *Session) Hides(tool, start string) func(path string) bool {
	return s.policy().Hides(tool, start)
}

// policy is the policy with what was granted; the later rule counts.
func (s *Session) policy() *Policy {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := Policy{}
	if s.Policy != nil {
		p = *s.Policy
	}
	p.Rules = slices.Concat(p.Rules, s.granted)
	return &p
}

// Granted are the rules that were granted, in order.
func (s *Session) Granted() []Rule {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.granted)
}

// Grant adds rules. Deny rules and echoes stay as they are.
func (s *Session) Grant(rules ...Rule) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.granted = append(s.granted, rules...)
}

// Offer are the rules that "always this session" would grant for a call. They say
// no more than what the person has seen: of a command its exact words, of a change
// the files it is about, and of a call with neither the tool. A command line that
// rules cannot allow is granted to the letter. There are none for what would be
// asked again all the same.
func (s *Session) Offer(t *tools.Tool, args json.RawMessage) []Rule {
	p := s.policy()
	q := p.newRequest(t, args)
	for _, offer := range [][]Rule{offerWords(q), offerExactly(q), offerPaths(q), offerTool(q)} {
		if len(offer) > 0 && p.allowsWith(offer, t, args) {
			return offer
		}
	}
	return nil
}

// allowsWith says whether the call would run with these rules added.
func (p *Policy) allowsWith(offer []Rule, t *tools.Tool, args json.RawMessage) bool {
	more := *p
	more.Rules = slices.Concat(p.Rules, offer)
	return more.Decide(t, args, false).Verdict == Allow
}

// offerWords offers the words of a line that is one command.
func offerWords(q *request) []Rule {
	if len(q.acts) == 0 || q.acts[0].words == nil {
		return nil
	}
	var quoted []string
	for _, w := range q.acts[0].words {
		text, err := syntax.Quote(w.text, syntax.LangPOSIX)
		if err != nil {
			return nil
		}
		quoted = append(quoted, text)
	}
	return []Rule{{Verdict: Allow, Class: tools.Exec, Pattern: strings.Join(quoted, " "), Source: SourceSession}}
}

func offerExactly(q *request) []Rule {
	if q.command == "" {
		return nil
	}
	return []Rule{{Verdict: Allow, Class: tools.Exec, Pattern: q.command, Exact: true, Source: SourceSession}}
}

// offerPaths offers the files of a call that names some.
func offerPaths(q *request) []Rule {
	var rules []Rule
	if q.class == tools.Exec {
		return nil
	}
	for _, a := range q.acts {
		for _, name := range a.names {
			r := Rule{Verdict: Allow, Class: q.class, Pattern: quoteGlob(name), Source: SourceSession}
			if a.mention == no && doublestar.ValidatePattern(r.Pattern) && !slices.Contains(rules, r) {
				rules = append(rules, r)
			}
		}
	}
	return rules
}

// offerTool offers the tool of a call that has neither command nor files.
func offerTool(q *request) []Rule {
	if q.tool == "" || q.command != "" || slices.ContainsFunc(q.acts, func(a act) bool { return a.words != nil || len(a.names) > 0 }) {
		return nil
	}
	return []Rule{{Verdict: Allow, Tool: q.tool, Source: SourceSession}}
}

var globQuoter = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `{`, `\{`, `}`, `\}`)

// quoteGlob is the pattern that matches this path alone.
func quoteGlob(path string) string { return globQuoter.Replace(path) }
