// Package ollamatest stands in for an Ollama server. It is for tests only:
// nothing else imports it.
//
// [New] starts a server on a loopback port. It answers each request to
// /api/chat with the next [Reply] of a script, the last one again and again,
// and keeps every request:
//
//	s := ollamatest.New(t,
//		ollamatest.Reply{Text: `{"tool":"calc","args":{"expr":"6*7"}}`},
//		ollamatest.Reply{Text: "It is 42."})
//	// OLLAMA_HOST=s.URL localagent -m test "How much is 6*7?"
//	s.Chats() // what was asked
//
// Scripts can also stand in a file, one JSON object a line; see [ReadReplies].
//
// Where a real server decides something by itself, so does this one: it knows
// only the models of [Server.Models], refuses tools, thinking and prompts over
// the window that a model cannot take, and answers a request without messages
// as loaded.
package ollamatest
