package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/localagent/localagent/loop/ollama"
	"github.com/localagent/localagent/loop/session"
	"github.com/spf13/pflag"
)

func completionCommand() *command {
	return &command{
		name:    "completion",
		args:    "bash|zsh|fish",
		summary: "print a script that completes commands, flags and models",
		about:   "Prints a script for the shell. It asks localagent itself what fits, so models, tools and sessions are completed too.",
		examples: []example{
			{`source <(localagent completion bash)`, "bash, this shell; in ~/.bashrc for all"},
			{`localagent completion zsh > "${fpath[1]}/_localagent"`, "zsh"},
			{`localagent completion fish > ~/.config/fish/completions/localagent.fish`, "fish"},
		},
		run: func(_ context.Context, e *env, _ *options, args []string) error {
			if len(args) != 1 {
				return usageErrorf("completion wants the name of a shell: bash, zsh or fish")
			}
			script, ok := completionScripts[args[0]]
			if !ok {
				return usageErrorf("there is no completion for %q: bash, zsh or fish", args[0])
			}
			e.out.raw(script)
			return nil
		},
	}
}

// The scripts hand the words over to `localagent __complete`, which prints a
// candidate and what it means on each line, with a tab between. No candidate
// means: a file.
var completionScripts = map[string]string{
	"bash": `_localagent() {
  local IFS=$'\n' i word line known words=() rest=${COMP_LINE#*"${COMP_WORDS[0]}"}
  for ((i = 1; i <= COMP_CWORD; i++)); do # bash parts words at = and : too
    word=${COMP_WORDS[i]}
    if [[ $i == 1 || $rest == [[:space:]]* ]]; then
      words+=("$word")
    else
      words[${#words[@]}-1]+=$word
    fi
    rest=${rest#*"$word"}
  done
  [[ $word == [=:]* ]] && word=
  known=${words[${#words[@]}-1]%"$word"} # stands there already, for bash
  COMPREPLY=()
  for line in $(localagent __complete "${words[@]}" 2>/dev/null); do
    line=${line%%$'\t'*}
    COMPREPLY+=("${line#"$known"}")
  done
}
complete -o default -F _localagent localagent
`,
	"zsh": `#compdef localagent
_localagent() {
  local -a found
  local line means
  while IFS= read -r line; do
    means=${line#*$'\t'}
    found+=("${${line%%$'\t'*}//:/\\:}${means:+:$means}")
  done < <(localagent __complete "${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( ${#found} )); then
    _describe localagent found
  else
    compset -P '*[=:]'
    _files
  fi
}
if [ "$funcstack[1]" = _localagent ]; then
  _localagent
else
  compdef _localagent localagent
fi
`,
	"fish": `function __localagent_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found (localagent __complete $words[2..-1] 2>/dev/null)
  if set -q found[1]
    printf '%s\n' $found
  else
    set -l before (string match -r '^.*[=:]' -- $words[-1])
    for file in (__fish_complete_path (string replace -r '^.*[=:]' '' -- $words[-1]))
      echo "$before$file"
    end
  end
end
complete -c localagent -f -a '(__localagent_complete)'
`,
}

// completeWord is the hidden command of the scripts.
const completeWord = "__complete"

// complete prints what may stand in place of the last word.
func (e *env) complete(words []string) {
	if len(words) == 0 {
		words = []string{""}
	}
	for _, c := range e.candidates(words[:len(words)-1], words[len(words)-1]) {
		e.out.put(c.word, "\t", c.means, "\n")
	}
}

// A candidate is a word that may come next.
type candidate struct{ word, means string }

func (e *env) candidates(before []string, word string) []candidate {
	c, rest, named := split(before)
	set, _ := c.flags(&options{})
	if n := len(before); n > 0 && takesNext(set, before[n-1]) {
		return prefixed(e.values(set, before[n-1]), word)
	}
	if flag, _, ok := strings.Cut(word, "="); ok && takesNext(set, flag) {
		return prefixed(behind(flag+"=", e.values(set, flag)), word)
	}
	switch {
	case strings.HasPrefix(word, "-"):
		return prefixed(flagCandidates(set), word)
	case !named && len(rest) == len(before) && firstWord(before) < 0:
		return prefixed(commandCandidates(), word)
	}
	_ = set.Parse(rest) // what cannot be read is no reason not to help
	return prefixed(e.operands(c, set.Args()), word)
}

// behind puts a prefix before each word.
func behind(prefix string, cs []candidate) []candidate {
	for i := range cs {
		cs[i].word = prefix + cs[i].word
	}
	return cs
}

func prefixed(cs []candidate, prefix string) []candidate {
	return slices.DeleteFunc(cs, func(c candidate) bool { return !strings.HasPrefix(c.word, prefix) })
}

func flagCandidates(set *pflag.FlagSet) []candidate {
	var cs []candidate
	set.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			_, what := pflag.UnquoteUsage(f)
			cs = append(cs, candidate{"--" + f.Name, what})
		}
	})
	return cs
}

// values are the values of a flag, as far as they can be listed.
func (e *env) values(set *pflag.FlagSet, flag string) []candidate {
	f := set.Lookup(strings.TrimLeft(flag, "-"))
	if f == nil {
		f = set.ShorthandLookup(flag[len(flag)-1:])
	}
	if c, ok := f.Value.(*choice); ok {
		return named(c.words, "")
	}
	switch f.Name {
	case "model":
		return e.modelCandidates()
	case "tool":
		return append(e.toolCandidates(), named([]string{"all", "none", "default"}, "a set of tools")...)
	case "session":
		return e.sessionCandidates()
	}
	return nil
}

// operands are what may follow a command and the words that it has already.
func (e *env) operands(c *command, words []string) []candidate {
	verb := strings.Join(words, " ")
	switch {
	case c.name == "tools" && verb == "":
		return append(named(subcommands[c.name], ""), e.toolCandidates()...)
	case c.name == "tools" && verb == "call":
		return e.toolCandidates()
	case c.name == "sessions" && (verb == "show" || verb == "path" || len(words) > 0 && words[0] == "rm"):
		return e.sessionCandidates()
	case c.name == "help" && verb == "":
		return commandCandidates()
	case verb == "":
		return named(subcommands[c.name], "")
	}
	return nil
}

func commandCandidates() []candidate {
	var cs []candidate
	for _, c := range commands() {
		cs = append(cs, candidate{c.name, c.summary})
	}
	return cs
}

func named(words []string, means string) []candidate {
	var cs []candidate
	for _, w := range words {
		cs = append(cs, candidate{w, means})
	}
	return cs
}

func (e *env) modelCandidates() []candidate {
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	models, _ := (&ollama.Client{}).Models(ctx) // without a server there is nothing to complete
	var cs []candidate
	for _, m := range models {
		cs = append(cs, candidate{m.Name, bytesText(m.Size)})
	}
	return cs
}

func (e *env) toolCandidates() []candidate {
	o := &options{}
	o.cfg, _ = e.loadConfig("", "") // a broken config has no tools to complete
	root, err := openRoot(o)
	if err != nil {
		return nil
	}
	defer root.Close()
	all, _ := e.allTools(o, root, "", nil)
	var cs []candidate
	for _, t := range all {
		cs = append(cs, candidate{t.Name, firstLine(t.Description)})
	}
	return cs
}

func (e *env) sessionCandidates() []candidate {
	infos, _ := session.List(e.sessionDir()) // none, or none that can be read
	var cs []candidate
	for _, i := range infos {
		cs = append(cs, candidate{i.ID, oneLine(i.Prompt, 60)})
	}
	return cs
}
