package permission

import (
	"slices"

	"github.com/localagent/localagent/tools"
)

// Hides is for tools of class read that walk over files: a call names the folder
// they begin in, and so says nothing of what they come by. The function it
// returns tells whether to leave out a file or folder, because a deny rule keeps
// it from being read, or an ask rule that did not ask about start already. It is
// nil when there is nothing to leave out. Paths are as [Policy.Decide] takes them.
func (p *Policy) Hides(tool, start string) func(path string) bool {
	q := &request{tool: tool, class: tools.Read}
	rules := slices.DeleteFunc(p.compile(), func(r ruling) bool {
		return r.Pattern == "" || r.Tool != tool && (r.Tool != "" || r.Class != tools.Read)
	})
	if !slices.ContainsFunc(rules, func(r ruling) bool { return r.Verdict != Allow }) {
		return nil
	}
	verdict := func(path string) Verdict {
		a := &act{class: tools.Read}
		a.place(p.Dir, path)
		if slices.ContainsFunc(rules, func(r ruling) bool { return r.Verdict == Deny && r.matches(q, a) == yes }) {
			return Deny
		}
		if r := mostSpecific(rules, q, a); r != nil {
			return r.Verdict
		}
		return Allow
	}
	asked := verdict(start) == Ask
	return func(path string) bool {
		v := verdict(path)
		return v == Deny || v == Ask && !asked
	}
}
