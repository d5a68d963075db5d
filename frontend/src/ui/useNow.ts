import { useSyncExternalStore } from "react";

type Clock = {
  now: number;
  timer: ReturnType<typeof setInterval> | undefined;
  readonly watchers: Set<() => void>;
};

const clocks = new Map<number, Clock>();

function clockOf(every: number): Clock {
  let clock = clocks.get(every);
  if (clock === undefined) {
    clock = { now: Date.now(), timer: undefined, watchers: new Set() };
    clocks.set(every, clock);
  }
  return clock;
}

/** The time, read anew every so many milliseconds. All that ask for the same pace share one timer. */
export function useNow(every: number): number {
  const clock = clockOf(every);
  return useSyncExternalStore(
    (watcher) => {
      clock.watchers.add(watcher);
      if (clock.timer === undefined) {
        clock.now = Date.now();
        clock.timer = setInterval(() => {
          clock.now = Date.now();
          for (const w of clock.watchers) w();
        }, every);
      }
      return () => {
        clock.watchers.delete(watcher);
        if (clock.watchers.size > 0) return;
        clearInterval(clock.timer);
        clock.timer = undefined;
      };
    },
    () => clock.now,
  );
}
