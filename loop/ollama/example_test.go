package ollama_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/loop/ollama"
)

// A reply, piece by piece. The loop does this; it can be done without it.
func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"message":{"content":"It is "}}
			{"message":{"content":"42."}}
			{"done":true,"done_reason":"stop","prompt_eval_count":26,"eval_count":4}`)
	})) // in place of Ollama
	defer server.Close()

	model := &ollama.Model{Name: "gemma3:4b", Host: server.URL}
	request := &loop.Request{Messages: []loop.Message{{Role: loop.User, Content: "How much is 6*7?"}}}
	for chunk, err := range model.Stream(context.Background(), request) {
		switch {
		case err != nil:
			fmt.Fprintln(os.Stderr, err)
			return
		case chunk.Done != nil:
			fmt.Printf("\n%d + %d tokens\n", chunk.Done.Prompt, chunk.Done.Output)
		default:
			fmt.Print(chunk.Text)
		}
	}
	// Output:
	// It is 42.
	// 26 + 4 tokens
}

// What a server has, and how much of its context each model may use.
func ExampleClient() {
	client := &ollama.Client{} // the server that OLLAMA_HOST names
	ctx := context.Background()
	models, err := client.Models(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	for _, m := range models {
		info, err := client.Show(ctx, m.Name)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			continue
		}
		fmt.Printf("%s\t%d bytes\t%d tokens\t%v\n", m.Name, m.Size, info.Context, info.Capabilities)
	}
}

func ExampleParseHost() {
	for _, s := range []string{":8080", "0.0.0.0", "https://example.org/ollama/", "gpu-box:http"} {
		u, err := ollama.ParseHost(s)
		fmt.Println(u, err)
	}
	// Output:
	// http://127.0.0.1:8080 <nil>
	// http://127.0.0.1:11434 <nil>
	// https://example.org:443/ollama <nil>
	// <nil> ollama: host "gpu-box:http": the port is "http", expecting a number from 1 to 65535
}
