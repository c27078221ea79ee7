package session

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// The page of the events names every field that a line has.
func TestEventsPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/events.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_`, ]+)` \\| (.*) \\|$").FindAllStringSubmatch(string(page), -1) {
		for _, typ := range strings.Split(row[1], "`, `") {
			rows[typ] = row[2]
		}
	}
	for typ, line := range map[string]any{
		typeInit: initLine{}, typeMessage: messageLine{}, typeText: deltaLine{}, typeThinking: deltaLine{},
		typeParse: parseLine{}, typeToolUse: toolUseLine{}, typeApproval: approvalLine{}, typeToolResult: toolResultLine{},
		typeWarning: warningLine{}, typeRetry: retryLine{}, typeCompact: compactLine{}, typeStep: stepLine{},
		typeError: errorLine{}, typeResult: resultLine{},
	} {
		for _, name := range fieldNames(reflect.TypeOf(line)) {
			if !strings.Contains(rows[typ], "`"+name+"`") {
				t.Errorf("%s: the page does not name %s", typ, name)
			}
		}
	}
}

// fieldNames are the keys of a line that are its own: not those of every line,
// and not the copies of text that is no UTF-8.
func fieldNames(line reflect.Type) []string {
	var names []string
	for _, f := range reflect.VisibleFields(line) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || strings.HasSuffix(name, "_base64") {
			continue
		}
		if _, every := reflect.TypeFor[head]().FieldByName(f.Name); !every {
			names = append(names, name)
		}
	}
	return names
}
