package permission

import (
	"encoding/json"
	"testing"

	"github.com/localagent/localagent/tools"
)

func seed(f *testing.F) {
	for _, rows := range commands {
		for _, row := range rows {
			f.Add(row.command, "exec rm *")
		}
	}
	for i, rule := range tableRules {
		f.Add(`ls > x; cat "$y" <<E`+"\n$(z)\nE", rule)
		f.Add(tableRules[(i+1)%len(tableRules)], rule)
	}
}

// fuzzPolicies are policies from strict to lax.
func fuzzPolicies(t testing.TB) []*Policy {
	p := []*Policy{policy(t, tableRules...), policy(t, "allow exec", "deny exec rm *"), {Mode: ModeAll}}
	p[0].Mode = ModeEdits
	return p
}

// FuzzDecide: no command line and no rule makes Decide panic; a deny rule never
// widens what may run, whatever else holds; what is offered as a grant is
// enough.
func FuzzDecide(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, command, rule string) {
		if len(command) > 2000 {
			return
		}
		deny, err := ParseRuleAs(Deny, rule, "")
		if err != nil {
			deny = Rule{Verdict: Deny, Class: tools.Exec, Pattern: rule} // as a program may make one
		}
		for _, p := range fuzzPolicies(t) {
			args := commandArgs(command)
			before := p.Decide(shellTool, args, false)
			more := *p
			more.Rules = append([]Rule{deny}, p.Rules...)
			if after := more.Decide(shellTool, args, false); before.Verdict.stricter(after.Verdict) {
				t.Fatalf("%q: %s, with %q %s", command, before.Verdict, deny.String(), after.Verdict)
			}
			if echo := p.Decide(shellTool, args, true); echo.Verdict == Allow {
				t.Fatalf("%q: an echo may run", command)
			}
			s := &Session{Policy: p}
			offer := s.Offer(shellTool, args)
			s.Grant(offer...)
			if d := s.Decide(shellTool, args, false); len(offer) > 0 && d.Verdict != Allow {
				t.Fatalf("%q: granted %v, but %s: %s", command, offer, d.Verdict, d.Why)
			}
		}
	})
}

// FuzzPath: a path that a deny rule names by its cleaned form is denied in every
// other spelling, and an allow rule never allows what lies outside.
func FuzzPath(f *testing.F) {
	for _, path := range []string{".env", "a/../.env", "./x//y/", "../.env", "/etc/x", "~/x", "a\\b", ".ENV.", "", ".", "c:\\x", "*", "{a,b}", "[", "a\x00b"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		if len(path) > 2000 {
			return
		}
		args, _ := json.Marshal(map[string]string{"path": path})
		_ = json.Unmarshal(args, &struct {
			Path *string `json:"path"`
		}{&path}) // as it arrives
		clean := cleanPath(path)
		deny := &Policy{Mode: ModeAll, Rules: []Rule{{Verdict: Deny, Class: tools.Write, Pattern: quoteGlob(clean)}}}
		if d := deny.Decide(writeTool, args, false); d.Verdict != Deny {
			t.Fatalf("%q: %s, although %q is denied", path, d.Verdict, clean)
		}
		allow := policy(t, "allow write **")
		if d := allow.Decide(writeTool, args, false); d.Verdict == Allow && outside(clean) {
			t.Fatalf("%q: allowed, although it lies outside", path)
		}
	})
}
