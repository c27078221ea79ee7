// Package proc runs a program so that nothing of it is left when [Run]
// returns, and nothing it prints can fill the memory.
//
// A program gets a session and process group of its own: no terminal can be
// taken from the user, and one signal reaches all of it. What the program left
// in the background is ended when the program itself exits; a cancelled
// context ends all of it. Both climb the same ladder: TERM, a grace period,
// KILL. A process that made a session of its own (setsid) is out of reach; it
// is not waited for.
//
// Of each output stream the head and the tail are kept; a stream too long for
// that goes to a file in full, up to [SpillLimit].
package proc
