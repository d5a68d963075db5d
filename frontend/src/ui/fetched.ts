import { lazy } from "react";
import { create } from "zustand";

/** Whether a part of the page could not be fetched, and there is a server to load the page anew from. */
export const useMissed = create<{ readonly missed: boolean }>()(() => ({ missed: false }));

/** So often a server that does not answer is asked whether it is back. */
const again = 3_000;
let asking = false;

/** To be told of each part that did not come: the server has another page by now, or does not answer. */
export function onMissed(): void {
  if (asking) return;
  asking = true;
  const later = () => void setTimeout(ask, again);
  const found = () => {
    asking = false;
    useMissed.setState({ missed: true });
  };
  const ask = () => {
    fetch("/api/health").then(({ ok }) => (ok ? found() : later()), later);
  };
  ask();
}

/** A part of the page that is fetched once it is needed. In place of one that does not come stays what stands for it. */
export const fetched: typeof lazy = (load) =>
  lazy(() => load().catch(() => new Promise<never>(() => undefined)));
