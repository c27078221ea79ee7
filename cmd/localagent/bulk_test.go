//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// The answer to a line comes before the next line is sent.
func TestBulkAnswersAtOnce(t *testing.T) {
	r, w := io.Pipe()
	out, stdout := io.Pipe()
	done := make(chan int)
	go func() {
		done <- run([]string{"parse", "--jsonl", "--tools", "calc"}, r, stdout, io.Discard)
		stdout.Close()
	}()
	answers := bufio.NewReader(out)
	for i := range 3 {
		// A line and the beginning of the next: only the first is whole.
		fmt.Fprintf(w, "%d,\"text\":\"hello\"}\n{\"id\":", i)
		if i == 0 {
			line, err := answers.ReadString('\n')
			if err != nil || !strings.Contains(line, "error") { // "0,…" alone is no JSON
				t.Fatalf("%q, %v", line, err)
			}
			continue
		}
		line, err := answers.ReadString('\n')
		if want := fmt.Sprintf(`{"id":%d,"kind":"final"`, i); err != nil || !strings.HasPrefix(line, want) {
			t.Fatalf("%q, %v; want %s…", line, err, want)
		}
	}
	w.Close()
	go io.Copy(io.Discard, answers)
	if code := <-done; code != exitOK {
		t.Errorf("status %d", code)
	}
}

// Memory does not grow with the number of lines.
func TestBulkMemory(t *testing.T) {
	few, many := bulkPeak(t, 1_000), bulkPeak(t, 40_000)
	if ratio := float64(many) / float64(few); ratio > 1.2 {
		t.Errorf("peak %d KiB for 1,000 lines, %d KiB for 40,000: %.2f times, want at most 1.2", few, many, ratio)
	}
}

// bulkPeak is the peak memory of reading n lines.
func bulkPeak(t *testing.T, n int) int64 {
	t.Helper()
	const line = `{"id":%d,"text":"Sure!\n{\"tool\":\"calc\",\"args\":{\"expr\":\"%d*7\"}} and so on","tools":["calc","read_file"]}` + "\n"
	cmd := exec.Command("localagent", "parse", "--jsonl")
	cmd.Env = append(os.Environ(), "GOMAXPROCS=2")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(in)
	for i := range n {
		fmt.Fprintf(w, line, i, i)
	}
	w.Flush()
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	return int64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
}
