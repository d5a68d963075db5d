import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FakeSocket } from "../testing/fake-socket";
import { backoff } from "./backoff";
import { Link, type LinkState } from "./link";

function start() {
  const states: LinkState[] = [];
  const heard: string[] = [];
  const refused = vi.fn<() => void>();
  let n = 0;
  const link = new Link({
    url: () => `ws://test/${(n += 1)}`,
    onMessage: (text) => heard.push(text),
    onState: (state) => states.push(state),
    onRefused: refused,
    connect: (url) => new FakeSocket(url),
  });
  link.start();
  return { link, states, heard, refused };
}

beforeEach(() => {
  vi.useFakeTimers();
  FakeSocket.all.length = 0;
});
afterEach(() => vi.useRealTimers());

describe("Link", () => {
  it("comes back by itself with growing waits, asking for its address each time", () => {
    const { states } = start();
    const waits: number[] = [];
    for (let i = 0; i < 8; i += 1) {
      FakeSocket.last.drop();
      const state = states.at(-1);
      if (state?.kind !== "lost") throw new Error("not lost");
      waits.push(state.retryAt - Date.now());
      vi.advanceTimersByTime(waits.at(-1) ?? 0);
    }
    expect(FakeSocket.all.map((s) => s.url)).toEqual(
      Array.from({ length: 9 }, (_, i) => `ws://test/${i + 1}`),
    );
    expect(waits[0]).toBeLessThanOrEqual(500);
    expect(Math.max(...waits)).toBeLessThanOrEqual(15_000);
    expect(waits.at(-1)).toBeGreaterThanOrEqual(7_500);
  });

  it("does not come back when the server says that it is of no use", () => {
    const { states } = start();
    FakeSocket.last.accept();
    FakeSocket.last.drop(4502);
    vi.advanceTimersByTime(600_000);
    expect(FakeSocket.all).toHaveLength(1);
    expect(states.at(-1)).toEqual({ kind: "ended", code: 4502 });
  });

  it.each([1000, 1006, 1011, 4000, 4001, 4499])("comes back after close code %i", (code) => {
    start();
    FakeSocket.last.accept();
    FakeSocket.last.drop(code);
    vi.advanceTimersByTime(1_000);
    expect(FakeSocket.all).toHaveLength(2);
  });

  it("pings every 25 s and drops a line that says nothing for a minute", () => {
    const { states } = start();
    const socket = FakeSocket.last;
    socket.accept();
    vi.advanceTimersByTime(25_000);
    expect(socket.commands("ping")).toHaveLength(1);
    socket.say({ type: "pong", n: 1 });
    vi.advanceTimersByTime(50_000);
    expect(states.at(-1)?.kind).toBe("open");
    vi.advanceTimersByTime(25_000);
    expect(states.at(-1)?.kind).toBe("lost");
  });

  it("notices after a sleep that the line is dead", () => {
    const { link, states } = start();
    FakeSocket.last.accept();
    vi.setSystemTime(Date.now() + 3_600_000);
    link.wake();
    vi.advanceTimersByTime(5_000);
    expect(states.at(-1)?.kind).toBe("lost");
  });

  it("tells its owner when it was not let in, and not when an open line broke", () => {
    const { refused } = start();
    FakeSocket.last.accept();
    FakeSocket.last.drop();
    expect(refused).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1_000);
    FakeSocket.last.drop();
    expect(refused).toHaveBeenCalledOnce();
  });

  it("says nothing more and tries nothing more once closed", () => {
    const { link, states, heard } = start();
    const socket = FakeSocket.last;
    socket.accept();
    link.close();
    const said = states.length;
    socket.drop();
    socket.raw("late");
    vi.advanceTimersByTime(600_000);
    expect(states).toHaveLength(said);
    expect(heard).toEqual([]);
    expect(FakeSocket.all).toHaveLength(1);
  });

  it("waits between half and the whole of a doubling time", () => {
    expect([0, 1, 2, 3].map((n) => backoff(n, () => 1))).toEqual([500, 1000, 2000, 4000]);
    expect([0, 1, 2, 3].map((n) => backoff(n, () => 0))).toEqual([250, 500, 1000, 2000]);
    expect(backoff(1000, () => 1)).toBe(15_000);
  });
});
