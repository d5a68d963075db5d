package proc_test

import (
	"io"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"signalbox/backend/proc"
)

// BenchmarkLine compares lines that come through a child with bytes that come
// through a bare pipe, from the same program in the same run.
func BenchmarkLine(b *testing.B) {
	const lines = 200_000
	for _, writes := range []string{"batched", "single"} {
		args := []string{"pump", strconv.Itoa(lines)}
		if writes == "single" {
			args = append(args, "single")
		}
		b.Run(writes, func(b *testing.B) {
			l := proc.NewLauncher(proc.Options{})
			var ours, bare time.Duration
			for b.Loop() {
				c, err := l.Start(b.Context(), proc.Spec{Argv: append([]string{os.Args[0]}, args...), Dir: "/"})
				if err != nil {
					b.Fatal(err)
				}
				begin := time.Now()
				n := 0
				for {
					if _, err := c.Line(); err != nil {
						break
					}
					n++
				}
				ours += time.Since(begin)
				c.Wait()
				if n != lines {
					b.Fatalf("%d lines", n)
				}
				bare += barePipe(b, args)
			}
			total := float64(b.N * lines)
			b.ReportMetric(total/ours.Seconds(), "lines/s")
			b.ReportMetric(total/bare.Seconds(), "bare-lines/s")
			b.ReportMetric(bare.Seconds()/ours.Seconds(), "of-bare")
		})
	}
}

func barePipe(b *testing.B, args []string) time.Duration {
	cmd := exec.Command(os.Args[0], args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	begin := time.Now()
	buf := make([]byte, 64<<10)
	for {
		if _, err := out.Read(buf); err == io.EOF {
			break
		}
	}
	took := time.Since(begin)
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
	return took
}

// BenchmarkStart starts /bin/true and waits until nothing is left of it, with
// the guard running, and beside it without any supervision.
func BenchmarkStart(b *testing.B) {
	l := proc.NewLauncher(proc.Options{})
	keep, err := l.Start(b.Context(), proc.Spec{Argv: []string{os.Args[0], "cat"}, Dir: "/"})
	if err != nil {
		b.Fatal(err)
	}
	defer keep.Wait()
	defer keep.Stdin().Close()
	var started, ended, bare time.Duration
	for b.Loop() {
		begin := time.Now()
		c, err := l.Start(b.Context(), proc.Spec{Argv: []string{"true"}, Dir: "/", Env: []string{"PATH=/bin:/usr/bin"}})
		if err != nil {
			b.Fatal(err)
		}
		started += time.Since(begin)
		c.Wait()
		ended += time.Since(begin)
		begin = time.Now()
		if err := exec.Command("true").Run(); err != nil {
			b.Fatal(err)
		}
		bare += time.Since(begin)
	}
	n := float64(b.N) / 1000
	b.ReportMetric(started.Seconds()/n, "ms-start")
	b.ReportMetric(ended.Seconds()/n, "ms-whole")
	b.ReportMetric(bare.Seconds()/n, "ms-bare")
}
