package dialog

// outgoing is how many lines may wait to be written. A CLI has a few requests
// open at most; when so many are not taken, it no longer reads.
const outgoing = 64

// send queues a line for stdin. After stdin is closed it is dropped: a CLI takes
// the end of stdin for a no.
func (l *loop) send(b []byte) {
	if l.inputClosed {
		return
	}
	select {
	case l.out <- b:
	default:
		l.stop(CodeNotReading)
	}
}

func (l *loop) closeInput() {
	if !l.inputClosed {
		l.inputClosed = true
		close(l.out)
	}
}

// read hands over stdout, as many lines at once as are there. They are valid
// until the next are asked for, so it waits until the loop has used them.
func (l *loop) read() {
	defer close(l.lines)
	for {
		batch, err := l.child.Batch()
		if err != nil {
			return // io.EOF, or a pipe that broke, which is an end too
		}
		l.lines <- batch
		<-l.next
	}
}

// write writes lines to stdin until there are no more, then closes it. After an
// error, which means that the process is going away, it only takes them.
func (l *loop) write() {
	stdin := l.child.Stdin()
	var broken bool
	for b := range l.out {
		if !broken {
			_, err := stdin.Write(b)
			broken = err != nil
		}
	}
	if err := stdin.Close(); err != nil && !broken {
		l.log.Debug("close stdin", "err", err)
	}
}
