//go:build unix

package builtin

import (
	"io/fs"
	"os"
	"syscall"
)

// noWait keeps an open from waiting for the other end of a pipe, and from
// taking a terminal.
const noWait = syscall.O_NONBLOCK | syscall.O_NOCTTY

// keepOwner gives a new file the owner of the one it replaces, where that is
// allowed.
func keepOwner(f *os.File, old fs.FileInfo) {
	if st, ok := old.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		f.Chown(int(st.Uid), int(st.Gid))
	}
}
