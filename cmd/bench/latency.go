//go:build linux

package main

import (
	"context"

	"signalbox/backend/agent/agenttest/fake"
)

// latency is the time from the CLI's write to one of n clients at a human rate, in
// turn with that of bare sockets. The stand-in prints 300 lines a second, of which
// about a third may not wait for more of their kind.
func latency(n int) func(*bench, context.Context) error {
	return func(b *bench, ctx context.Context) error {
		return b.product(ctx, b.dir, "latency", func() error { return b.latencyOf(ctx, n) })
	}
}

func (b *bench) latencyOf(ctx context.Context, n int) error {
	var p50, p99, more50, more99 samples
	for range b.opts.rounds {
		bare, err := bareServer{mode: bareTCP, clients: n, events: 300, size: 300, rate: 100}.run(ctx)
		if err != nil {
			return err
		}
		fs, _, err := b.watchRun(ctx, fake.Script{Lines: 1800, Rate: 300, Stamp: true}, n)
		if err != nil {
			return err
		}
		lags := fs.lags()
		half, tail := quantile(lags, 0.5), quantile(lags, 0.99)
		p50, p99 = append(p50, half), append(p99, tail)
		more50 = append(more50, half-quantile(bare.lags, 0.5))
		more99 = append(more99, tail-quantile(bare.lags, 0.99))
	}
	name := "CLI line to client, " + clients(n)
	b.rep.add(name+", p50", "ms", p50)
	b.rep.add(name+", p99", "ms", p99)
	b.rep.add(name+", p50 above bare TCP", "ms", more50)
	b.rep.add(name+", p99 above bare TCP", "ms", more99)
	return nil
}
