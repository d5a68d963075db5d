import { useSyncExternalStore } from "react";

type Clock = { readonly subscribe: (watcher: () => void) => () => void; readonly read: () => number };

const clocks = new Map<number, Clock>();

function makeClock(every: number): Clock {
  const watchers = new Set<() => void>();
  let now = Date.now();
  let timer: ReturnType<typeof setInterval> | undefined;
  return {
    read: () => now,
    subscribe: (watcher) => {
      watchers.add(watcher);
      if (timer === undefined) {
        now = Date.now();
        timer = setInterval(() => {
          now = Date.now();
          for (const w of watchers) w();
        }, every);
      }
      return () => {
        watchers.delete(watcher);
        if (watchers.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}

/** The time, read anew every so many milliseconds. All that ask for the same pace share one timer. */
export function useNow(every: number): number {
  let clock = clocks.get(every);
  if (clock === undefined) {
    clock = makeClock(every);
    clocks.set(every, clock);
  }
  return useSyncExternalStore(clock.subscribe, clock.read);
}
