package permission

import (
	"path"
	"slices"
	"strings"

	"github.com/localagent/localagent/tools"
)

// unpackers are the programs that write files which no word names: those of an
// archive, a patch, another commit or a server. Each has what makes it do so; one
// with nothing always does.
var unpackers = map[string]danger{
	"7z": unpack7z, "7za": unpack7z, "7zr": unpack7z, "7zz": unpack7z, "rar": unpack7z, "unrar": unpack7z,
	"ar": {letters: "x"}, "jar": {letters: "x", long: []string{"extract"}},
	"bsdtar": unpackTar, "gtar": unpackTar, "star": unpackTar, "tar": unpackTar,
	"cpio":     {letters: "ip", long: []string{"extract", "pass-through"}},
	"curl":     {letters: "JOK", long: []string{"config", "remote-header-name", "remote-name", "remote-name-all"}},
	"dpkg-deb": {letters: "xXR", long: []string{"extract", "vextract", "raw-extract"}},
	"git": {words: []string{
		"am", "apply", "bisect", "checkout", "checkout-index", "cherry-pick", "clean", "clone", "merge", "pull", "read-tree", "rebase",
		"reset", "restore", "revert", "sparse-checkout", "stash", "submodule", "subtree", "switch", "worktree",
	}},
	"gpatch": {}, "patch": {}, "quilt": {},
	"hg":   {words: []string{"checkout", "clone", "graft", "import", "merge", "pull", "rebase", "revert", "shelve", "unshelve", "update"}},
	"pax":  {letters: "r"},
	"svn":  {words: []string{"checkout", "co", "export", "merge", "patch", "revert", "switch", "up", "update"}},
	"unar": {}, "unsquashfs": {}, "unzip": {}, "uudecode": {}, "wget": {},
}

var (
	unpack7z  = danger{words: []string{"e", "x"}}
	unpackTar = danger{letters: "x", long: []string{"extract", "get"}}
)

// unpacks says whether a program may write files that no word names.
func unpacks(name string, args []word) bool {
	d, known := unpackers[name]
	switch {
	case !known:
		return false
	case d.letters == "" && d.words == nil:
		return true
	case d.letters == "x" && bundled(args, d.letters):
		return true
	}
	return slices.ContainsFunc(args, func(a word) bool {
		return a.mayBe(d.words...) || d.words == nil && a.kind != fixed && a.option() || d.option(a.text)
	})
}

// bundled says whether the options of a program that takes them without a dash
// have one of these letters.
func bundled(args []word, letters string) bool {
	return len(args) > 0 && (args[0].kind != fixed || !args[0].option() && strings.ContainsAny(args[0].text, letters))
}

// unpack notes that a command may write any file: deny and ask rules cannot tell
// which.
func (s *shell) unpack(text string) {
	if s.watched(tools.Write) {
		s.add(act{
			class: tools.Write, text: text, why: "it writes files that the line does not name",
			mention: maybe, shape: shape(nil).add(anyText), dir: s.policy.Dir,
		})
	}
}

// putters give the files among their words the same names in another folder.
var putters = []string{"cp", "ditto", "install", "ln", "mv", "rsync", "scp"}

// arrivals notes the names that files get in the folder they are put into: the
// last word, or the one that an option gives.
func (s *shell) arrivals(name string, args []word) {
	var files []word
	target := false
	for _, a := range args {
		if a.option() && a.kind == fixed {
			target = target || strings.HasPrefix(a.text, "--t") || a.text[1] != '-' && strings.Contains(a.text, "t")
		} else {
			files = append(files, a)
		}
	}
	if len(files) == 0 {
		return
	}
	last := len(files) - 1
	into, put := files[last], files[:last]
	if _, walks := walks(name, args); walks || name == "mv" || name == "ditto" {
		if slices.ContainsFunc(put, func(w word) bool { return w.kind != fixed || !s.isFile(w.text) }) {
			s.walk(files, tools.Write)
		}
	}
	if target {
		s.unpack(shorten(name + " " + joinWords(args)))
	}
	for _, w := range put {
		if w.kind == fixed && into.kind == fixed {
			s.mention(fixedWord(path.Join(into.text, path.Base(w.text))), tools.Write, maybe)
		} else {
			s.walk([]word{into}, tools.Write)
		}
	}
}
