package builtin

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/localagent/localagent/tools"
	"github.com/localagent/localagent/tools/internal/cut"
)

var tree = map[string]string{
	"README.md":              "# Title\n",
	"notes.txt":              "hello\nwörld\n",
	"src/main.go":            "package main\n\nfunc main() {}\n",
	"src/util/strings.go":    "package util\n",
	"src/util/deep/er/x.txt": "x\n",
	"docs/guide.md":          "guide\n",
	"docs/Release Notes.txt": "1.0\n",
	"empty/":                 "",
	"build/out.o":            "o\n",
	"src/gen.pb.go":          "package main\n",
	"src/keep.pb.go":         "package main\n",
	"node_modules/x/i.js":    "x\n",
	".git/config":            "[core]\n",
	".gitignore":             "build/\n*.pb.go\n!keep.pb.go\n",
}

func TestListFiles(t *testing.T) {
	b := newBox(t, tree)
	const left = "[left out: %s (node_modules, .gitignore); name it in path to see it]"
	b.want("list_files", args{}, `.gitignore
README.md
docs/
docs/Release Notes.txt
docs/guide.md
empty/
notes.txt
src/
src/keep.pb.go
src/main.go
src/util/
src/util/deep/
src/util/strings.go
`+fmt.Sprintf(left, "3 entries")+"\n[not looked into: 1 folder at level 3; name one in path, or set depth]")
	b.want("list_files", args{"depth": 1}, ".gitignore\nREADME.md\ndocs/\nempty/\nnotes.txt\nsrc/\n"+fmt.Sprintf(left, "2 entries"))
	b.want("list_files", args{"path": "docs"}, "docs/Release Notes.txt\ndocs/guide.md")
	b.want("list_files", args{"path": "docs/"}, "docs/Release Notes.txt\ndocs/guide.md")
	b.want("list_files", args{"path": "."}, b.do("list_files", args{}).Text)
	b.want("list_files", args{"path": "docs", "glob": "*.md"}, "docs/guide.md")
	b.want("list_files", args{"path": "src", "glob": "*.txt"}, "src/util/deep/er/x.txt\n"+fmt.Sprintf(left, "1 entry"))
	b.want("list_files", args{"path": "src", "glob": "util/**/*.txt"}, "src/util/deep/er/x.txt\n"+fmt.Sprintf(left, "1 entry"))
	b.want("list_files", args{"path": "src", "glob": "src/util/*.go"}, "src/util/strings.go\n"+fmt.Sprintf(left, "1 entry"))
	b.want("list_files", args{"path": "src", "glob": "**/*.{go,txt}", "depth": 1}, "src/keep.pb.go\nsrc/main.go\n"+fmt.Sprintf(left, "1 entry"))
	b.want("list_files", args{"path": "build"}, "build/out.o")
	b.want("list_files", args{"path": "node_modules"}, "node_modules/x/\nnode_modules/x/i.js")
	b.want("list_files", args{"path": "empty"}, "[empty is empty]")
	b.want("list_files", args{"path": "docs", "glob": "*.go"}, `[nothing in docs matches "*.go"; 2 entries looked at]`)
	b.fails("list_files", args{"path": "notes.txt"}, "notes.txt is a file, not a folder")
	b.fails("list_files", args{"path": "doc"}, "did you mean docs/?")
	b.fails("list_files", args{"glob": "[a"}, "is not a glob")
	b.fails("search_text", args{"pattern": "x", "glob": strings.Repeat("{a,aa}", 40)}, "more than 8 lists in braces")
	b.fails("list_files", args{"depth": 0}, "depth")
}

func TestListFilesCut(t *testing.T) {
	files := map[string]string{}
	for i := range 3000 {
		files[fmt.Sprintf("many/file-%04d.txt", i)] = ""
	}
	b := newBox(t, files)
	r := b.do("list_files", args{"path": "many"})
	if lines := strings.Count(r.Text, "\n") + 1; lines != 2001 || !r.Truncated {
		t.Errorf("%d lines, truncated %v", lines, r.Truncated)
	}
	if want := "[2000 of 3,000 entries shown; narrow it with path, glob or depth]"; !strings.HasSuffix(r.Text, want) {
		t.Errorf("ends in %q", r.Text[len(r.Text)-100:])
	}
	if r := b.doWith("list_files", args{"path": "many"}, 1000); len(r.Text) > 1000 || !r.Truncated {
		t.Errorf("with room for 1000: %d bytes", len(r.Text))
	}
}

func TestReadFile(t *testing.T) {
	long := strings.Repeat("x", 120_000)
	b := newBox(t, map[string]string{
		"notes.txt": "hello\nwörld\n", "no-eol": "a\nb", "empty": "", "crlf": "a\r\nb\r\n", "latin1": "caf\xe9\n",
		"long": "short\n" + long + "\nlast\n", "gap\t": "", "late": strings.Repeat("text\n", 3000) + "\x00\n",
		"utf16": "\xff\xfeh\x00i\x00", "a.zip": "PK\x03\x04\x00\x00", "blank": "\n\n",
	})
	b.want("read_file", args{"path": "notes.txt"}, "1\thello\n2\twörld")
	b.want("read_file", args{"path": "./notes.txt"}, "1\thello\n2\twörld")
	b.want("read_file", args{"path": "x/../notes.txt"}, "1\thello\n2\twörld")
	b.want("read_file", args{"path": b.path("notes.txt")}, "1\thello\n2\twörld")
	b.want("read_file", args{"path": "no-eol"}, "1\ta\n2\tb")
	b.want("read_file", args{"path": "blank"}, "1\t\n2\t")
	b.want("read_file", args{"path": "empty"}, "[empty is empty]")
	b.want("read_file", args{"path": "crlf"}, "1\ta\n2\tb\n[lines end in CRLF]")
	b.want("read_file", args{"path": "latin1"}, "1\tcaf\uFFFD\n[bytes that are not UTF-8 are shown as \uFFFD]")
	b.want("read_file", args{"path": "notes.txt", "offset": 2}, "2\twörld\n[end of the file; it has 2 lines]")
	b.want("read_file", args{"path": "notes.txt", "offset": -1}, "2\twörld\n[end of the file; it has 2 lines]")
	b.want("read_file", args{"path": "no-eol", "offset": -1}, "2\tb\n[end of the file; it has 2 lines]")
	b.want("read_file", args{"path": "notes.txt", "offset": -9}, "1\thello\n2\twörld")
	b.want("read_file", args{"path": "notes.txt", "limit": 1}, "1\thello\n[lines 1-1 of a file of 2 lines; go on with offset=2]")
	b.want("read_file", args{"path": "notes.txt", "limit": 2}, "1\thello\n2\twörld")
	b.want("read_file", args{"path": "notes.txt", "offset": 2, "column": 4}, "2\trld\n[end of the file; it has 2 lines]")
	b.want("read_file", args{"path": "notes.txt", "offset": "2"}, "2\twörld\n[end of the file; it has 2 lines]")
	b.fails("read_file", args{"path": "notes.txt", "column": 7}, "column 7 is past the end of line 1, which has 5 bytes")
	b.fails("read_file", args{"path": "notes.txt", "offset": 3}, "offset 3 is past the end; notes.txt has 2 lines")
	b.fails("read_file", args{"path": "no-eol", "offset": 3}, "offset 3 is past the end; no-eol has 2 lines")
	b.fails("read_file", args{"path": "empty", "offset": 2}, "empty has 0 lines")
	b.fails("read_file", args{"path": "a.zip"}, "a.zip is a binary file (6 bytes); it is not shown")
	b.fails("read_file", args{"path": "utf16"}, "UTF-16")
	b.fails("read_file", args{"path": "late", "offset": 3001}, "late (14.7 KB) has binary data after line 3000")
	if r := b.do("read_file", args{"path": "late", "offset": 2999}); r.Text != "2999\ttext\n3000\ttext\n[late (14.7 KB) has binary data after line 3000]" {
		t.Errorf("got %q", r.Text)
	}
}

// Following the notes of a cut result gives the whole file.
func TestReadFileGoOn(t *testing.T) {
	var text strings.Builder
	for i := range 7000 {
		fmt.Fprintf(&text, "line %d %s\n", i, strings.Repeat("ä€", i%40))
	}
	text.WriteString(strings.Repeat("😀", 50_000) + "\nend\n" + strings.Repeat("z", 150_000))
	b := newBox(t, map[string]string{"big": text.String()})
	for _, room := range []int{0, 20_000, 4000, 600, 200} {
		if room == 600 {
			b.write("big", text.String()[:cut.End(text.String(), 20_000)])
		}
		var got strings.Builder
		at := args{"path": "big", "offset": 1, "column": 1}
		for calls := 0; ; calls++ {
			r := b.doWith("read_file", at, room)
			if room > 0 && len(r.Text) > room || len(r.Text) > maxResult || !utf8.ValidString(r.Text) || r.Status != tools.OK {
				t.Fatalf("room %d, %v: %s, %d bytes", room, at, r.Status, len(r.Text))
			}
			body, note, _ := strings.Cut(r.Text, "\n[")
			gotLines(&got, body, at["column"].(int) > 1)
			if !r.Truncated {
				break
			}
			at = goOn(t, note)
			if calls > 5000 {
				t.Fatal("no end")
			}
		}
		if want := strings.TrimSuffix(b.read("big"), "\n"); got.String() != want {
			t.Errorf("room %d: got %d bytes, want %d", room, got.Len(), len(want))
		}
	}
}

// gotLines appends what a page shows; its first line may go on the last one.
func gotLines(b *strings.Builder, body string, goesOn bool) {
	for line := range strings.SplitSeq(body, "\n") {
		_, text, _ := strings.Cut(line, "\t")
		if b.Len() > 0 && !goesOn {
			b.WriteByte('\n')
		}
		goesOn = false
		b.WriteString(text)
	}
}

// goOn reads what a note says to call next.
func goOn(t *testing.T, note string) args {
	t.Helper()
	offset, column := 0, 1
	_, how, ok := strings.Cut(note, "go on with ")
	if n, _ := fmt.Sscanf(how, "offset=%d column=%d", &offset, &column); !ok || n < 1 {
		t.Fatalf("note %q", note)
	}
	return args{"path": "big", "offset": offset, "column": column}
}

func TestMissing(t *testing.T) {
	b := newBox(t, tree)
	tests := []struct{ path, want string }{
		{"note.txt", "there is no note.txt; did you mean notes.txt?"},
		{"Notes.txt", "did you mean notes.txt?"},
		{"notes.md", "did you mean notes.txt?"},
		{"main.go", "did you mean src/main.go?"},
		{`src\main.go`, `there is no src\main.go; did you mean src/main.go?`},
		{"src/utils/strings.go", "did you mean src/util/strings.go?"},
		{"release-notes.txt", "did you mean docs/Release Notes.txt?"},
		{"docs/nothing.xyz", "there is no docs/nothing.xyz; in docs there is: docs/Release Notes.txt, docs/guide.md"},
		{"empty/nothing", "there is nothing in empty"},
		{"zzz/yyy/www", "in the working folder there is: .gitignore, README.md, docs/, empty/, notes.txt, src/"},
		{"/notes.txt", `"/notes.txt" is outside the working folder; paths are relative to it; did you mean "notes.txt"?`},
		{"/etc/passwd", `"/etc/passwd" is outside the working folder`},
		{"../notes.txt", `"../notes.txt" is outside the working folder`},
		{"src/../../x", "outside the working folder"},
		{"..", "outside the working folder"},
		{"", "the path is empty"},
		{" ", "the path is empty"},
		{"docs\new.txt", "doubled backslashes"},
		{"docs\x00", "doubled backslashes"},
		{"docs", "docs is a folder, not a file"},
		{"docs/*.md", "give that to list_files or search_text as glob"},
		{"~/notes.txt", "did you mean notes.txt?"},
		{strings.Repeat("a/", 2000), "there is no a/a/"},
		{strings.Repeat("a", 4000), "aaaa: file name too long"},
		{strings.Repeat("a", 5000), "the path has 5,000 bytes"},
	}
	for _, tt := range tests {
		b.fails("read_file", args{"path": tt.path}, tt.want)
		b.fails("count_chars", args{"path": tt.path}, tt.want)
		if r := b.do("read_file", args{"path": tt.path}); len(r.Text) > 20_000 {
			t.Errorf("%.20q: %d bytes of error", tt.path, len(r.Text))
		}
	}
}

func TestCountChars(t *testing.T) {
	chunk := strings.Repeat("aä€😀 ", 60_000) // longer than what is read at once, and parted inside characters
	tests := []struct {
		name, text                     string
		chars, bytes, lines, words, no int
	}{
		{"empty", "", 0, 0, 0, 0, 0},
		{"one", "x", 1, 1, 1, 1, 0},
		{"lines", "hello\nwörld\n", 12, 13, 2, 2, 0},
		{"no last break", "a b\nc", 5, 5, 2, 3, 0},
		{"crlf", "a\r\nb\r\n", 6, 6, 2, 2, 0},
		{"blank", " \n\t\n", 4, 4, 2, 0, 0},
		{"cjk", "你好，世界\n", 6, 16, 1, 1, 0},
		{"odd spaces", "a\u00a0b\u3000c", 5, 8, 1, 3, 0},
		{"not utf-8", "caf\xe9 \xff\xfe\n", 8, 8, 1, 2, 3},
		{"cut off", "ab\xe2\x82", 4, 4, 1, 1, 2},
		{"long", chunk, 5 * 60_000, 11 * 60_000, 1, 60_000, 0},
		{"long, shifted", "z" + chunk, 5*60_000 + 1, 11*60_000 + 1, 1, 60_000, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBox(t, map[string]string{"f": tt.text})
			want := fmt.Sprintf(`{"characters":%d,"bytes":%d,"lines":%d,"words":%d`, tt.chars, tt.bytes, tt.lines, tt.words)
			if tt.no > 0 {
				want += fmt.Sprintf(`,"bytes_not_utf8":%d`, tt.no)
			}
			b.want("count_chars", args{"path": "f"}, want+"}")
		})
	}
	b := newBox(t, map[string]string{"a.bin": strings.Repeat("text ", 100_000) + "\x00"})
	b.fails("count_chars", args{"path": "a.bin"}, "a.bin is a binary file (488 KB)")
}

func TestSearchText(t *testing.T) {
	b := newBox(t, tree)
	b.write("src/list.txt", "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n")
	b.write("bin", "match\x00")
	b.want("search_text", args{"pattern": "hel+o"}, "notes.txt:1: hello\n[1 binary file not searched, or only up to the binary data]")
	b.want("search_text", args{"pattern": "^package", "path": "src"}, "src/keep.pb.go:1: package main\nsrc/main.go:1: package main\nsrc/util/strings.go:1: package util")
	b.want("search_text", args{"pattern": "package", "glob": "strings.*"}, "src/util/strings.go:1: package util")
	b.want("search_text", args{"pattern": "(?i)HELLO|GUIDE", "glob": "*.{md,txt}"}, "docs/guide.md:1: guide\nnotes.txt:1: hello")
	b.want("search_text", args{"pattern": "main", "path": "src/main.go"}, "src/main.go:1: package main\nsrc/main.go:3: func main() {}")
	b.want("search_text", args{"pattern": "o$", "path": "build"}, "build/out.o:1: o")
	b.want("search_text", args{"pattern": "^(two|three|seven)$", "path": "src/list.txt", "context": 1},
		"src/list.txt-1- one\nsrc/list.txt:2: two\nsrc/list.txt:3: three\nsrc/list.txt-4- four\n--\n"+
			"src/list.txt-6- six\nsrc/list.txt:7: seven\nsrc/list.txt-8- eight")
	b.want("search_text", args{"pattern": "^(two|five)$", "path": "src/list.txt", "context": 1},
		"src/list.txt-1- one\nsrc/list.txt:2: two\nsrc/list.txt-3- three\n"+
			"src/list.txt-4- four\nsrc/list.txt:5: five\nsrc/list.txt-6- six")
	b.want("search_text", args{"pattern": "no such thing", "path": "docs"}, `[no line matches "no such thing" in 2 files]`)
	b.fails("search_text", args{"pattern": "(a"}, "the syntax is RE2")
	b.fails("search_text", args{"pattern": `(?=a)`}, "the syntax is RE2")
	b.fails("search_text", args{"pattern": ""}, "pattern")
	b.fails("search_text", args{"pattern": "a", "path": "nowhere"}, "there is no nowhere")
	b.fails("search_text", args{"pattern": "a", "context": 99}, "context")
}

func TestSearchTextLong(t *testing.T) {
	long := strings.Repeat("ä", 5000)
	b := newBox(t, map[string]string{
		"long":  long + "needle" + long + "\n",
		"huge":  strings.Repeat("x", 3<<20) + "needle\nneedle\n",
		"crlf":  "the end\r\nnot the end here\r\n",
		"bytes": "caf\xe9 needle\n",
	})
	r := b.do("search_text", args{"pattern": "needle", "path": "long"})
	if len(r.Text) > 600 || !strings.Contains(r.Text, "needle") || !strings.Contains(r.Text, "9,706 bytes") || !utf8.ValidString(r.Text) {
		t.Errorf("got %q", r.Text)
	}
	b.want("search_text", args{"pattern": "needle", "path": "huge"}, "huge:2: needle\n[of 1 line only the first 1 MB was searched]")
	b.want("search_text", args{"pattern": "end$", "path": "crlf"}, "crlf:1: the end")
	b.want("search_text", args{"pattern": "needle", "path": "bytes"}, "bytes:1: caf\uFFFD needle")
}

func TestSearchTextCut(t *testing.T) {
	b := newBox(t, map[string]string{"a": strings.Repeat("needle\n", 5000), "b": "needle\n"})
	for _, room := range []int{0, 5000, 1000} {
		r := b.doWith("search_text", args{"pattern": "needle"}, room)
		if !r.Truncated || !strings.Contains(r.Text, "there may be more") || room > 0 && len(r.Text) > room || len(r.Text) > maxResult {
			t.Errorf("room %d: %d bytes, truncated %v, end %q", room, len(r.Text), r.Truncated, r.Text[len(r.Text)-80:])
		}
	}
}

func TestSpecialNames(t *testing.T) {
	b := newBox(t, nil)
	if err := os.WriteFile(filepath.Join(b.dir, "new\nline\x1b[31m"), []byte("needle\n"), 0o644); err != nil {
		t.Skip(err)
	}
	b.write(" blank ", "needle\n")
	b.write("it's [1] {x}.txt", "needle\n")
	b.want("list_files", args{}, "\" blank \"\nit's [1] {x}.txt\n"+`"new\nline\x1b[31m"`)
	b.want("search_text", args{"pattern": "needle"}, "\" blank \":1: needle\nit's [1] {x}.txt:1: needle\n"+`"new\nline\x1b[31m":1: needle`)
	b.want("read_file", args{"path": "it's [1] {x}.txt"}, "1\tneedle")
	b.want("read_file", args{"path": " blank "}, "1\tneedle")
	b.fails("read_file", args{"path": "new\nline\x1b[31m"}, "control character")
	b.fails("read_file", args{"path": "it's"}, `"new\nline\x1b[31m"`)
}
