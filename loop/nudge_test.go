package loop

import "testing"

func TestAnnounces(t *testing.T) {
	yes := []string{
		"I will read the file now:",
		"I'll read notes.txt.",
		"Let me check the file first.",
		"Sure! Let me look at that file.",
		"Okay, I'll list the files in the folder...",
		"Now I will run the tests.",
		"First, let me open main.go.",
		"I need to read the configuration file.",
		"I'm going to search for the function.",
		"Let’s calculate the sum:",
		"Certainly, I will use read_file to open it.",
		"我将读取文件：",
		"好的，我来查看一下这个文件。",
		"让我先搜索一下。",
		"现在我要运行测试",
	}
	no := []string{
		"",
		"The file has 42 characters.",
		"Which file do you mean?",
		"I will read the file if you give me its name.",
		"Should I read the file?",
		"Let me know which file you mean.",
		"I would search for the name in all files and then open each hit.",
		"To find it I would list the files, then read the ones that match.",
		"I'll search for the word with search_text and then open each hit to see the context.",
		"I can read the file for you. Just tell me its name.",
		"Let me know if you need anything else!",
		"I'd be happy to help you read the file.",
		"Let me explain. The function reads a file.",
		"I will read the file. It has 3 lines.",
		"I'll check it once the server is up.",
		"I read the file. It says hello.",
		"I will never read that file because it is secret.",
		"Let me help you with that: the answer is 42.",
		"Let me see... the answer is 42!",
		"I'll use the first approach, which is faster. It takes 3 ms.",
		"我已经读取了文件。",
		"需要我读取文件吗？",
		"我会先列出文件，然后打开每一个。",
		"你好！有什么可以帮你的吗？",
	}
	for _, s := range yes {
		if !announces(s) {
			t.Errorf("%q is an announcement", s)
		}
	}
	for _, s := range no {
		if announces(s) {
			t.Errorf("%q is no bare announcement", s)
		}
	}
}

func TestNudge(t *testing.T) {
	t.Run("once", func(t *testing.T) {
		res, s, _ := runScript(t, &Agent{Tools: toolbox()},
			says("I will read the file now:"), calls(use("echo", "text", "a")), says("I will read the file now:"))
		if res.Stop != StopFinal || len(s.requests) != 3 || res.State.Continue != "" {
			t.Errorf("%q after %d requests", res.Stop, len(s.requests))
		}
		if got := lastUser(s.requests[1]); got != noteAnnounced {
			t.Errorf("the model is told %q", got)
		}
	})
	t.Run("not at the last step", func(t *testing.T) {
		res, s, _ := runScript(t, &Agent{MaxSteps: 1}, says("I will read the file now:"))
		if res.Stop != StopFinal || len(s.requests) != 1 {
			t.Errorf("%q after %d requests", res.Stop, len(s.requests))
		}
	})
	for _, answer := range []string{"Which file do you mean?", "I would search with grep and read each hit.", "I can also sort them for you."} {
		res, s, _ := runScript(t, &Agent{Tools: toolbox()}, says(answer))
		if res.Answer != answer || len(s.requests) != 1 {
			t.Errorf("%q after %d requests", res.Answer, len(s.requests))
		}
	}
}
