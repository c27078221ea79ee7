package permission_test

import (
	"encoding/json"
	"fmt"

	"github.com/localagent/localagent/tools"
	"github.com/localagent/localagent/tools/permission"
)

func Example() {
	p := &permission.Policy{}
	for _, s := range []string{"allow exec go test *", "allow exec tail *", "deny exec rm *"} {
		rule, err := permission.ParseRule(s, "example")
		if err != nil {
			panic(err)
		}
		p.Rules = append(p.Rules, rule)
	}
	shell := &tools.Tool{Name: "run_shell", Class: tools.Exec}
	for _, command := range []string{
		`go test ./... | tail -5`,
		`go test ./... > log`,
		`go test -exec ./mine ./...`,
		`timeout 60 go test ./...`,
		`go test ./... && sh -c 'r\m -rf build'`,
	} {
		args, _ := json.Marshal(map[string]string{"command": command})
		d := p.Decide(shell, args, false)
		fmt.Printf("%-5s  %s\n       %s\n", d.Verdict, command, d.Why)
	}
	// Output:
	// allow  go test ./... | tail -5
	//        the rule "allow exec go test *" (example) allows go test ./...
	// ask    go test ./... > log
	//        no rule allows > log (--approve ask)
	// ask    go test -exec ./mine ./...
	//        no rule allows go test -exec ./mine ./...: -exec is an option that runs a program or changes files (--approve ask)
	// ask    timeout 60 go test ./...
	//        timeout 60 go test ./...: timeout runs what it is given (--approve ask)
	// deny   go test ./... && sh -c 'r\m -rf build'
	//        the rule "deny exec rm *" (example) forbids r\m -rf build
}
