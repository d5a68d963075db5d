package demo

import "time"

// Impatient makes signals follow an interrupt at once.
func Impatient(p *Provider) { p.patience = 50 * time.Millisecond }

// Output writes chunks as a command's output and returns the text of each delta
// and the whole.
func Output(chunks ...[]byte) (deltas []string, whole string, err error) {
	w := &outputWriter{report: func(delta string) error {
		deltas = append(deltas, delta)
		return nil
	}}
	for _, c := range chunks {
		if _, err := w.Write(c); err != nil {
			return deltas, "", err
		}
	}
	err = w.flush()
	return deltas, w.text(), err
}
