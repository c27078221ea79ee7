package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/localagent/localagent/loop/ollama"
	"github.com/spf13/pflag"
)

func modelsCommand() *command {
	return &command{
		name:    "models",
		summary: "the installed models: size, window, abilities, dialect",
		about: "One line for each model of the Ollama server: its size, the tokens it was trained for, the window it is loaded with, " +
			"whether it has tools of its own and can think (localagent needs neither), and the dialect in which calls are asked for: " +
			"json, or what `doctor --probe` found to be best.",
		groups:     []group{{"Models", addModelsFlags}},
		run:        runModels,
		configured: true,
		alone:      true,
	}
}

func addModelsFlags(f *pflag.FlagSet, o *options) {
	f.StringVarP(&o.host, "host", "H", "", "`URL` of the Ollama server (default OLLAMA_HOST, else this machine)")
	f.BoolVar(&o.json, "json", false, "print JSON")
}

// A modelInfo is an installed model as --json shows it.
type modelInfo struct {
	Name     string `json:"name"`
	Digest   string `json:"digest"`
	Size     int64  `json:"size"`
	Family   string `json:"family"`
	Scale    string `json:"parameters"`
	Quant    string `json:"quantization"`
	Context  int    `json:"context"` // tokens trained for
	Loaded   int    `json:"loaded"`  // tokens allocated, 0: not loaded
	Tools    bool   `json:"native_tools"`
	Thinking bool   `json:"thinking"`
	Dialect  string `json:"dialect"`
	Measured bool   `json:"measured"` // the dialect was found by doctor --probe
}

func runModels(ctx context.Context, e *env, o *options, _ []string) error {
	infos, err := e.readModels(ctx, &ollama.Client{Host: o.host})
	if err != nil {
		return err
	}
	if o.json {
		return printJSON(e.out, infos)
	}
	if len(infos) == 0 {
		e.note("no model is installed: ollama pull qwen2.5:3b gets one")
		return nil
	}
	t := table{head: []string{"NAME", "SIZE", "CONTEXT", "LOADED", "TOOLS", "THINKS", "DIALECT"}, right: []int{1, 2, 3}}
	for _, m := range infos {
		t.add(m.Name, bytesText(m.Size), tokensText(m.Context, "-"), tokensText(m.Loaded, "-"), yesNo(m.Tools), yesNo(m.Thinking), dialectText(m))
	}
	t.print(e.out)
	return nil
}

// tokensText is a number of tokens, or none if it is not known.
func tokensText(n int, none string) string {
	if n == 0 {
		return none
	}
	return thousands(n)
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func dialectText(m modelInfo) string {
	if m.Measured {
		return m.Dialect + " (measured)"
	}
	return m.Dialect
}

// readModels asks the server for all that is known of its models.
func (e *env) readModels(ctx context.Context, client *ollama.Client) ([]modelInfo, error) {
	models, err := e.listModels(ctx, client)
	if err != nil {
		return nil, err
	}
	loaded := map[string]int{}
	if running, err := answer(ctx, e.patience, client.Running); err == nil {
		for _, m := range running {
			loaded[m.Name] = m.Window
		}
	}
	memory := e.dialects()
	infos := []modelInfo{}
	for _, m := range models {
		shown, err := answer(ctx, e.patience, func(ctx context.Context) (ollama.Info, error) { return client.Show(ctx, m.Name) })
		if err != nil && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		measured := memory.of(m.Digest)
		infos = append(infos, modelInfo{
			Name: m.Name, Digest: m.Digest, Size: m.Size, Family: cmp.Or(m.Family, shown.Family),
			Scale: cmp.Or(m.Scale, shown.Scale), Quant: cmp.Or(m.Quant, shown.Quant),
			Context: shown.Context, Loaded: loaded[m.Name],
			Tools: slices.Contains(shown.Capabilities, "tools"), Thinking: slices.Contains(shown.Capabilities, "thinking"),
			Dialect: string(dialectOf("auto", measured)), Measured: measured != "",
		})
	}
	return infos, nil
}

// A table is text in columns.
type table struct {
	head  []string
	right []int // columns whose text stands at the right
	rows  [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) print(s *screen) {
	widths := make([]int, len(t.head))
	for _, row := range append([][]string{t.head}, t.rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], textWidth(cell))
		}
	}
	line := func(row []string) string {
		var b strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-textWidth(cell))
			if slices.Contains(t.right, i) {
				b.WriteString(pad + cell)
			} else {
				b.WriteString(cell + pad)
			}
			b.WriteString("  ")
		}
		return strings.TrimRight(b.String(), " ")
	}
	tooWide := func(row []string) bool { return textWidth(line(row)) > s.width() }
	if s.tty && (tooWide(t.head) || slices.ContainsFunc(t.rows, tooWide)) {
		t.printTall(s)
		return
	}
	s.put(span{styleBold, line(t.head)}, "\n")
	for _, row := range t.rows {
		s.put(line(row), "\n")
	}
}

// printTall writes the cells of a row below each other, for a narrow terminal.
func (t *table) printTall(s *screen) {
	wide := 0
	for _, name := range t.head {
		wide = max(wide, textWidth(name))
	}
	for i, row := range t.rows {
		if i > 0 {
			s.put("\n")
		}
		for j, cell := range row {
			s.put(span{styleBold, fmt.Sprintf("%-*s", wide, t.head[j])}, "  ", cell, "\n")
		}
	}
}
