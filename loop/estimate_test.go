package loop

import (
	"context"
	"slices"
	"strings"
	"testing"
)

func TestGuess(t *testing.T) {
	tests := []struct {
		text string
		want float64
	}{
		{"", 0},
		{"seven b", 2},
		{"漢字かなカナ한글", 8},
		{"全角：，", 4},
		{"漢字 fourteen byte", 2 + 14/3.5},
		{"größe", 7 / 3.5},
		{"🙂🙂🙂🙂🙂🙂🙂", 28 / 3.5},
		{"\xff\xfe\xff\xfe\xff\xfe\xff", 2},
	}
	for _, tt := range tests {
		if got := guess(tt.text); got != tt.want {
			t.Errorf("guess(%q) = %v, want %v", tt.text, got, tt.want)
		}
	}
}

func TestEstimatorLearns(t *testing.T) {
	ms := []Message{{Role: User, Content: strings.Repeat("x", 7000-14)}} // 2000 tokens
	tests := []struct {
		name    string
		counted int
		want    int
	}{
		{"no count", 0, 2000},
		{"fewer", 1500, 1500},
		{"more", 3000, 3000},
		{"absurdly few", 10, 800},
		{"absurdly many", 900000, 6000},
	}
	for _, tt := range tests {
		var e estimator
		e.learn(ms, tt.counted)
		if got := e.messages(ms); got != tt.want {
			t.Errorf("%s: %d tokens, want %d", tt.name, got, tt.want)
		}
		if got := e.text(strings.Repeat("y", e.bytes(500))); got < 498 || got > 502 {
			t.Errorf("%s: bytes(500) is %d tokens", tt.name, got)
		}
	}
}

func TestCutSilently(t *testing.T) {
	first := func(counted int) promptCount {
		return promptCount{counted: counted, guess: 1000, least: 580, grown: 1000, window: 4096}
	}
	next := func(counted int) promptCount {
		return promptCount{counted: counted, guess: 2000, least: 1160, grown: 200, before: 1750, window: 4096}
	}
	tests := []struct {
		name string
		c    promptCount
		want bool
	}{
		{"not counted", first(0), false},
		{"as guessed", first(990), false},
		{"a little low", first(650), false},
		{"far below", first(500), true},
		{"the whole window", promptCount{counted: 2048, guess: 2500, least: 1450, grown: 2500, window: 2048}, true},
		{"grown", next(1960), false},
		{"only what is new was counted", next(210), false},
		{"less than before although more was sent", next(1700), true},
		{"as much as before although more was sent", next(1750), true},
		{"as much as before and hardly more was sent", promptCount{counted: 1750, guess: 1780, least: 1000, grown: 30, before: 1750, window: 4096}, false},
		{"less than before, but less was sent", promptCount{counted: 900, guess: 1000, least: 580, grown: -1000, before: 1900, window: 4096}, false},
	}
	for _, tt := range tests {
		if got := tt.c.cutSilently(); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// A server that has less context than it says shows it by counts that are stuck.
func TestStuckCountsProveTheWindow(t *testing.T) {
	s := &script{window: 8192}
	next := work(150, "Intent: say words")
	s.next = func(req *Request) line {
		l := next(req)
		l.prompt = min(int(guessMessages(req.Messages)), 2048)
		return l
	}
	evs := eventsOf(&Agent{Model: s, Tools: toolbox(), MaxSteps: 30}, nil, Prompt{Text: "go"})
	res := eventsOfType[RunEnded](evs)[0].Result
	if res.Stop != StopMaxSteps || res.State.Window != 2048 {
		t.Errorf("%q (%v) with a window of %d", res.Stop, res.Err, res.State.Window)
	}
	var codes []string
	for _, w := range eventsOfType[Warned](evs) {
		codes = append(codes, w.Code)
	}
	if !slices.Equal(codes, []string{"prompt_cut"}) {
		t.Errorf("warnings %q", codes)
	}
	for i, req := range s.requests[len(s.requests)/2:] {
		if n := guessMessages(req.Messages); n > 2048 {
			t.Errorf("late request %d has %v tokens", i, n)
		}
	}
}

// Whatever the script, the estimate of an uncut prompt is no reason for alarm.
func TestLeastTokens(t *testing.T) {
	texts := map[string]struct {
		text  string
		count int // as a common tokenizer counts it
	}{
		"English": {strings.Repeat("The quick brown fox jumps over the lazy dog. ", 50), 500},
		"Russian": {strings.Repeat("Съешь же ещё этих мягких французских булок. ", 50), 700},
		"Hindi":   {strings.Repeat("यह एक छोटा सा वाक्य है जो बार बार आता है। ", 50), 700},
		"Chinese": {strings.Repeat("我能吞下玻璃而不伤身体。", 50), 450},
	}
	for name, tt := range texts {
		if least := leastTokens([]Message{{User, tt.text}}); least > tt.count {
			t.Errorf("%s: at least %d tokens, %d were counted", name, least, tt.count)
		}
	}
}

// A server that reads less than was sent is told on, once, and the next prompt
// is made shorter.
func TestPromptCutIsTold(t *testing.T) {
	l := calls(use("echo", "text", "a"))
	l.prompt = 20
	last := says("done")
	last.prompt = 25
	s := &script{lines: []line{l, last}}
	a := &Agent{Model: s, Tools: toolbox()}
	evs := eventsOf(a, nil, Prompt{Text: strings.Repeat("word ", 300)})
	warned := eventsOfType[Warned](evs)
	if len(warned) != 1 || warned[0].Code != "prompt_cut" || !strings.Contains(warned[0].Text, "20 of about") {
		t.Errorf("warnings %+v", warned)
	}
}

// A count beyond the guess is not told as a part of it.
func TestPromptCutBeyondTheGuess(t *testing.T) {
	last := says("done")
	last.prompt = 1e9
	evs := eventsOf(&Agent{Model: &script{window: 2048, lines: []line{last}}, Tools: toolbox()}, nil, Prompt{Text: "word"})
	warned := eventsOfType[Warned](evs)
	if len(warned) != 1 || !strings.HasPrefix(warned[0].Text, "the prompt filled the 2048 tokens that the server reads: ") {
		t.Errorf("warnings %+v", warned)
	}
}

func TestWindow(t *testing.T) {
	tests := []struct {
		name         string
		agent, model int
		want         int
	}{
		{"nobody says", 0, 0, 4096},
		{"the model", 0, 8192, 8192},
		{"the agent", 2048, 0, 2048},
		{"the smaller one", 16384, 2048, 2048},
		{"the smaller one", 2048, 16384, 2048},
	}
	for _, tt := range tests {
		s := &script{lines: []line{says("ok")}, window: tt.model}
		a := &Agent{Model: s, Window: tt.agent}
		res := a.Run(context.Background(), nil, Prompt{Text: "go"})
		if res.State.Window != tt.want {
			t.Errorf("%s: window %d, want %d", tt.name, res.State.Window, tt.want)
		}
		if got := s.requests[0].MaxOutput; got != tt.want/4 {
			t.Errorf("%s: room for the reply %d", tt.name, got)
		}
	}
}

// Only once the model is loaded does a server know what it could allocate.
func TestWindowShrinksOnceLoaded(t *testing.T) {
	s := &script{window: 16384}
	s.lines = []line{{text: "ok", do: func(*Request) { s.window = 2048 }}}
	a := &Agent{Model: s}
	evs := eventsOf(a, nil, Prompt{Text: "go"})
	if w := eventsOfType[Warned](evs); len(w) != 1 || w[0].Code != "window" {
		t.Errorf("warnings %+v", w)
	}
	if end := eventsOfType[RunEnded](evs)[0]; end.Result.State.Window != 2048 {
		t.Errorf("window %d", end.Result.State.Window)
	}
}

// A task that can never fit does not join the conversation, which goes on.
func TestOverflowLeavesTheConversation(t *testing.T) {
	a := &Agent{Model: &script{lines: []line{says("Hello."), says("Rope.")}}, Window: 1000}
	tr := &Transcript{}
	for _, tt := range []struct {
		prompt string
		want   Stop
	}{
		{"hi", StopFinal},
		{strings.Repeat("word ", 2000), StopOverflow},
		{"what shall I buy?", StopFinal},
	} {
		if res := a.Run(context.Background(), tr, Prompt{Text: tt.prompt}); res.Stop != tt.want {
			t.Errorf("%.20q: %s (%v), want %s", tt.prompt, res.Stop, res.Err, tt.want)
		}
	}
	if n := len(tr.Entries); n != 4 {
		t.Errorf("%d entries, want two tasks and their answers", n)
	}
}

func TestOverflowNamesBothNumbers(t *testing.T) {
	s := &script{}
	res := (&Agent{Model: s, Window: 1000}).Run(context.Background(), nil, Prompt{Text: strings.Repeat("word ", 2000)})
	if res.Stop != StopOverflow || len(s.requests) != 0 {
		t.Fatalf("%q after %d requests", res.Stop, len(s.requests))
	}
	for _, n := range []string{"about 2871 tokens", "750 fit", "window 1000"} {
		if !strings.Contains(res.Err.Error(), n) {
			t.Errorf("the error lacks %q: %v", n, res.Err)
		}
	}
}
