package loop

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// maxAnnouncement is the longest text, in bytes, that can be a bare
// announcement.
const maxAnnouncement = 200

// announcement matches one sentence that says what the writer is about to do
// and is nothing else: perhaps a word of assent, "I will", a verb of work. Any
// doubt means no: an answer that is asked for again is worse than a missed
// nudge.
var announcement = lazily(`(?i)^(?:(?:sure|ok|okay|of course|certainly|alright|all right|great|understood|right)[,.!:]*\s+)?` +
	`(?:(?:first|now|next|then|so)[,:]?\s+)*` +
	`(?:i will|i'll|i’ll|i am going to|i'm going to|i’m going to|let me|let's|let’s|i need to|i have to|i must)\s+` +
	`(?:(?:now|first|just|quickly|then|start by|begin by)\s+)*` +
	`(?:read|reading|open|opening|check|checking|look|looking|list|listing|search|searching|find|run|running|count|counting|calculate|calculating|compute|fetch|inspect|examine|use|using|call|calling|get|write|edit|try|view|scan|see)\b` +
	`[^.?!\n]*(?:\.[A-Za-z0-9_][^.?!\n]*)*(?:[.:!…]|\.\.\.)?$`)

// chineseAnnouncement is the same for Chinese.
var chineseAnnouncement = lazily(`^(?:好的?|没问题|当然)?[，,。！!]?(?:首先|现在|接下来|下面)?[，,]?` +
	`(?:我(?:将|会|要|来|需要|先|现在|马上|这就)|让我(?:们)?(?:先|来)?)(?:先|来|去|会|将|要|使用|用|调用)*` +
	`(?:读取|读一下|打开|查看|检查|列出|搜索|查找|运行|执行|统计|计算|获取|看一下|看看|写入|修改|调用)` +
	`[^。？?！!\n]*[。：:…！!.]*$`)

// explains are words that make a sentence an explanation, an offer or a
// condition.
var explains = lazily(`(?i)\b(?:if|would|could|then|because|when|once|so that|by (?:using|searching|reading)|let me know|for you to|you can|want me|feel free|after that)\b|如果|然后|因为|之后|需要我|告诉我`)

// lazily compiles an expression when it is first used: most programs that link
// this package start without needing it.
func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// announces reports whether a reply is a bare announcement ("I will read the
// file now:") that leaves the work undone. It is never true of a question back,
// an explanation or an offer.
func announces(text string) bool {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxAnnouncement || !utf8.ValidString(text) || strings.ContainsAny(text, "?？") {
		return false
	}
	if explains().MatchString(text) {
		return false
	}
	return announcement().MatchString(text) || chineseAnnouncement().MatchString(text)
}

// What the loop tells the model in notes of its own.
const (
	noteAnnounced = "You announced a step and did not take it. Write the tool call now, or give the answer."
	noteContinue  = "Go on."
	noteGoOn      = "Your reply was cut off at the output limit. Go on exactly where it stopped and repeat nothing."
	noteVolatile  = "The last results were all the same. Do something else, or answer with what you know."
	textRepeated  = "This repeats your last step, so it was not run: its result stands above and has not changed. Use it, make a different call, or answer."
	textSkipped   = "Not run: the run ended before this call."
)
