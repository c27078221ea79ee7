// Command client is a bare client of the Ollama API with flags: what any program
// of this kind has to link and start.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/ollama/ollama/api"
	"github.com/spf13/pflag"
)

func main() {
	version := pflag.Bool("version", false, "print the version")
	model := pflag.String("model", "", "model to ask")
	pflag.Parse()
	client, err := api.ClientFromEnvironment()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if *version {
		fmt.Println("client")
		return
	}
	err = client.Chat(context.Background(), &api.ChatRequest{Model: *model}, func(r api.ChatResponse) error {
		fmt.Print(r.Message.Content)
		return nil
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
