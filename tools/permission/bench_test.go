package permission

import "testing"

func BenchmarkDecide(b *testing.B) {
	p := policy(b, tableRules...)
	for name, command := range map[string]string{
		"plain":    "git log --oneline -5",
		"pipeline": `cd src && grep -rn "TODO" . | sort -u | head -20 > out/list`,
		"wrapper":  `timeout 5 sh -c 'for f in *.go; do gofmt -l "$f"; done'`,
	} {
		args := commandArgs(command)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p.Decide(shellTool, args, false)
			}
		})
	}
}
