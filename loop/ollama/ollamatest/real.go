package ollamatest

import (
	"bytes"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// BinVariable is the environment variable that names the binary of a real
// Ollama. Tests that need one are skipped without it.
const BinVariable = "LOCALAGENT_OLLAMA_BIN"

// A Real is a real Ollama server, without any model and with a home of its own.
type Real struct {
	URL string

	bin string
	env []string
	log lockedBuffer
}

// Start starts a real server on a free loopback port and stops it with the
// test. It skips the test when there is no binary.
func Start(t testing.TB) *Real {
	t.Helper()
	bin := os.Getenv(BinVariable)
	if bin == "" {
		t.Skipf("%s names no Ollama binary", BinVariable)
	}
	addr := freeAddress(t)
	home := t.TempDir()
	r := &Real{URL: "http://" + addr, bin: bin, env: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "OLLAMA_HOST=" + addr,
		"OLLAMA_MODELS=" + filepath.Join(home, "models"), "OLLAMA_NUM_PARALLEL=1",
	}}
	cmd := exec.Command(bin, "serve")
	cmd.Env = r.env
	cmd.Stdout, cmd.Stderr = &r.log, &r.log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		cmd.Wait()
	}()
	t.Cleanup(func() { stop(cmd.Process, exited) })
	r.await(t, exited)
	return r
}

// stop ends the server politely, so that it ends its runners, then by force.
func stop(p *os.Process, exited <-chan struct{}) {
	if p.Signal(os.Interrupt) != nil {
		p.Kill()
	}
	select {
	case <-exited:
	case <-time.After(10 * time.Second):
		p.Kill()
		<-exited
	}
}

func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// await waits until the server answers.
func (r *Real) await(t testing.TB, exited <-chan struct{}) {
	t.Helper()
	deadline := time.After(time.Minute)
	for {
		if resp, err := http.Get(r.URL + "/api/version"); err == nil {
			resp.Body.Close()
			return
		}
		select {
		case <-exited:
			t.Fatalf("the server ended:\n%s", r.Log())
		case <-deadline:
			t.Fatalf("the server does not answer:\n%s", r.Log())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Create installs a model.
func (r *Real) Create(t testing.TB, name string, s Scripted) {
	t.Helper()
	dir := t.TempDir()
	gguf, modelfile := filepath.Join(dir, "model.gguf"), filepath.Join(dir, "Modelfile")
	var b bytes.Buffer
	if err := s.WriteGGUF(&b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(gguf, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(modelfile, []byte(s.Modelfile(gguf)), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(r.bin, "create", name, "-f", modelfile)
	cmd.Env = r.env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("ollama create: %v\n%s\n%s", err, out, r.Log())
	}
}

// Log is what the server has logged so far.
func (r *Real) Log() string { return r.log.String() }

// A lockedBuffer is written by a process while a test reads it.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
