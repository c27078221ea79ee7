// Command trivial is the smallest Go program: the floor of start-up time.
package main

func main() {}
