import { clsx } from "clsx";
import type { RunState } from "./thread.logic";

const rings: Readonly<Record<RunState, string>> = {
  live: "border-caution-dot",
  needs: "border-stop-dot",
  held: "border-caution-dot",
  stopped: "border-stop-dot",
  done: "border-ink",
};

const lines: Readonly<Record<RunState, string>> = {
  live: "bg-caution-dot",
  needs: "bg-stop-dot",
  held: "bg-caution-dot",
  stopped: "bg-stop-dot",
  done: "bg-line-3",
};

/** The line from a station on, and the train where output arrives. */
export function TrackLine({ state, last }: { state: RunState; last: boolean }) {
  return (
    <span aria-hidden="true" className="track-line" data-last={last}>
      <span className={clsx("absolute inset-y-0 w-0.5", lines[state])} />
      {state === "live" ? (
        <span className="absolute -bottom-px -left-0.5 h-4.5 w-1.5 rounded-full bg-caution-dot" />
      ) : null}
    </span>
  );
}

type Props = { id: string; name: string; state: RunState; onVisit: () => void };

/** A station of the track: one for each prompt. */
export function Station({ id, name, state, onVisit }: Props) {
  return (
    <button
      type="button"
      id={id}
      aria-label={name}
      title={name}
      onClick={onVisit}
      data-station
      className="station-target"
    >
      <span className={clsx("station block size-3.5 rounded-full border-2 bg-canvas", rings[state])} />
    </button>
  );
}
