package loop

import (
	"strings"
	"sync"
)

// A Queue holds what a user says while a run goes on. It is safe for
// concurrent use; its zero value is ready. What a run leaves in it is for the
// next one. A message without a word says nothing and is dropped.
type Queue struct {
	mu       sync.Mutex
	steer    []string
	followUp []string
}

// Steer adds a message that joins at the next step boundary.
func (q *Queue) Steer(text string) {
	q.add(&q.steer, text)
}

// FollowUp adds a message that starts a new turn when the run would end with
// an answer.
func (q *Queue) FollowUp(text string) {
	q.add(&q.followUp, text)
}

func (q *Queue) add(to *[]string, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	*to = append(*to, text)
}

// steering takes every message that steers; nil when there is none.
func (q *Queue) steering() []string {
	if q == nil {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	texts := q.steer
	q.steer = nil
	return texts
}

// next takes the oldest follow-up.
func (q *Queue) next() (text string, ok bool) {
	if q == nil {
		return "", false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.followUp) == 0 {
		return "", false
	}
	text = q.followUp[0]
	q.followUp = q.followUp[1:]
	return text, true
}
