package proc

import "golang.org/x/sys/unix"

const zombie = 5 // SZOMB of <sys/proc.h>

// sessionMembers lists the running processes of a session; ok is false when
// the system does not tell.
func sessionMembers(sid int) (pids []int, ok bool) {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, false
	}
	for i := range all {
		pid := int(all[i].Proc.P_pid)
		if all[i].Proc.P_stat == zombie {
			continue
		}
		if s, err := unix.Getsid(pid); err == nil && s == sid {
			pids = append(pids, pid)
		}
	}
	return pids, true
}
