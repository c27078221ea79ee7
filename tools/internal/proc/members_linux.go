package proc

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// sessionMembers lists the running processes of a session; ok is false when
// the system does not tell.
func sessionMembers(sid int) (pids []int, ok bool) {
	d, err := os.Open("/proc")
	if err != nil {
		return nil, false
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return nil, false
	}
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		ok = true // there are processes here: it is a proc file system
		if s, err := unix.Getsid(pid); err == nil && s == sid && !ended(name) {
			pids = append(pids, pid)
		}
	}
	return pids, ok
}

// ended reports whether a process has ended and waits to be reaped. Its state
// follows its name, which stands in parentheses and may hold some itself.
func ended(pid string) bool {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return true
	}
	at := bytes.LastIndexByte(stat, ')')
	return at < 0 || at+2 >= len(stat) || stat[at+2] == 'Z' || stat[at+2] == 'X'
}
