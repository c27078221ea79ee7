package fuzz_test

import (
	"flag"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/localagent/localagent/parse"
)

// Sizes of the texts that FuzzGrowth compares, in bytes.
const (
	growthSmall = 2 << 10
	growthBig   = 16 * growthSmall
)

// FuzzGrowth: what a reply costs is linear in its length, and its depth takes no
// stack, whatever stands in it again and again. Allocated bytes are compared in each
// run, times only while fuzzing: then nothing else depends on them.
func FuzzGrowth(f *testing.F) {
	for _, unit := range []string{
		"{", "[", `{"a":`, `{"name":"x`, `{"name":"calc","arguments":{"expr":"1"},`, `{"a":1} `, "{'a':'b' ", "{“a”:“b” ", `{"a":"\d`,
		`{"calc":{},"echo":{}} `, "```json\n", "```\n~~~\n", "`a ", "`{\"a\":1}` and ", "<", "<tool_call>", "<tool_call>calc<arg_key>expr</arg_key><arg_value>",
		"<function=calc><parameter=expr>", "<calc><expr>", "a <think> ", "a </think> ", "<think>a</think>", "<|start|>assistant<|channel|>commentary to=functions.calc<|message|>",
		"[calc(expr=\"1\"), ", "calc(expr=\"1\") ", "[calc(expr=[", "Action: calc\nAction Input: ", "Final Answer: a\n", ">>>calc\n", "\\\"", "a: - * 1. ", "\n", " ",
	} {
		f.Add("", unit, byte(0))
		f.Add("So <think> I say:\n", unit, byte(0x40))
	}
	f.Fuzz(func(t *testing.T, head, unit string, modeBits byte) {
		if len(head) > 1<<10 || len(unit) == 0 || len(unit) > 1<<8 {
			return
		}
		numbered := modeBits&0x40 != 0 // else the reply may end soon, as a repetition
		small, big := again(head, unit, growthSmall, numbered), again(head, unit, growthBig, numbered)
		for _, size := range []int{len(big), 4} { // of the pieces
			s := parse.NewScanner(mode(modeBits).options())
			read := func(text string) { readInPieces(s, text, size, mode(modeBits).finish()) }
			if p := onSmallStack(func() { read(big) }); p != nil { // the room that it needs is there from now on
				t.Fatalf("pieces of %d: %v", size, p)
			}
			var m [3]runtime.MemStats
			runtime.ReadMemStats(&m[0])
			read(small)
			runtime.ReadMemStats(&m[1])
			read(big)
			runtime.ReadMemStats(&m[2])
			few, many := m[1].TotalAlloc-m[0].TotalAlloc, m[2].TotalAlloc-m[1].TotalAlloc
			if many > 24*few+64<<10 {
				t.Fatalf("pieces of %d: %d bytes allocated for %d, %d for %d", size, few, len(small), many, len(big))
			}
			if fuzzing() && !staysLinear(read, small, big) {
				t.Fatalf("pieces of %d: the time for %d bytes is far more than %d times that for %d", size, len(big), len(big)/len(small), len(small))
			}
		}
	})
}

// again is head and as many units behind it as make about n bytes.
func again(head, unit string, n int, numbered bool) string {
	var b strings.Builder
	b.WriteString(head)
	for i := 0; b.Len() < n; i++ {
		b.WriteString(unit)
		if numbered {
			b.WriteString(strconv.Itoa(i))
		}
	}
	return b.String()
}

func readInPieces(s *parse.Scanner, text string, size int, f parse.Finish) {
	s.Reset()
	for text != "" {
		n := min(size, len(text))
		s.Feed(text[:n])
		text = text[n:]
	}
	s.Close(f)
}

// onSmallStack runs f where a recursion on the depth of the input would end the process,
// and returns with what it panics.
func onSmallStack(f func()) any {
	defer debug.SetMaxStack(debug.SetMaxStack(256 << 10))
	panics := make(chan any)
	go func() {
		defer func() { panics <- recover() }()
		f()
	}()
	return <-panics
}

// fuzzing reports whether this process was started to fuzz.
func fuzzing() bool {
	worker := flag.Lookup("test.fuzzworker")
	return worker != nil && worker.Value.String() == "true"
}

// staysLinear reports whether the time for big is no more than four times what
// it would be if time were linear. A busy machine may say no once: it is asked often.
func staysLinear(read func(string), small, big string) bool {
	least := func(text string) time.Duration {
		best := time.Hour
		for range 2 {
			start := time.Now()
			read(text)
			best = min(best, time.Since(start))
		}
		return best
	}
	for range 5 {
		if least(big) <= 4*time.Duration(len(big)/len(small))*(least(small)+20*time.Microsecond) {
			return true
		}
	}
	return false
}
