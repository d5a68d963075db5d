import { clsx } from "clsx";
import { type KeyboardEvent, Suspense, useCallback, useEffect, useRef, useState } from "react";
import type { Act } from "../../../ui/ActionMenu";
import type { RunState } from "../thread.logic";
import { StationMenu } from "./StationMenu";
import { fetched } from "../../../ui/fetched";

const ActionMenu = fetched(() => import("../../../ui/ActionMenu"));

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
      <span className={clsx("track-rail absolute inset-y-0 w-0.5", lines[state])} />
      {state === "live" ? (
        <span className="absolute -bottom-px -left-0.5 h-4.5 w-1.5 rounded-full bg-caution-dot" />
      ) : null}
    </span>
  );
}

/** How long the pointer rests before the list opens, and may be away before it closes. */
const openAfter = 150;
const closeAfter = 250;

type Shown = "no" | "pointed" | "focused" | "entered";

type Props = {
  id: string;
  name: string;
  state: RunState;
  acts: readonly Act[];
  note: string;
  /** Set to open the acts as a sheet, as the head of the prompt does on a phone. */
  sheet: boolean;
  onSheet: (open: boolean) => void;
};

/** A station of the track: one for each prompt, with what can be done there. */
export function Station({ id, name, state, acts, note, sheet, onSheet }: Props) {
  const button = useRef<HTMLButtonElement>(null);
  const [shown, setShown] = useState<Shown>("no");
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  const close = useCallback((back: boolean) => {
    clearTimeout(timer.current);
    setShown("no");
    if (back) button.current?.focus({ preventScroll: true });
  }, []);
  const onPointer = (inside: boolean) => {
    clearTimeout(timer.current);
    timer.current = inside
      ? setTimeout(() => setShown((now) => (now === "no" ? "pointed" : now)), openAfter)
      : setTimeout(() => setShown((now) => (now === "pointed" ? "no" : now)), closeAfter);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && shown !== "no") {
      event.preventDefault();
      event.stopPropagation();
      close(false);
      return;
    }
    if (event.key === "ArrowDown") {
      event.preventDefault();
      setShown("entered");
      return;
    }
    const act = acts.find((a) => a.hint?.toLowerCase() === event.key.toLowerCase());
    if (act === undefined || act.unable !== undefined) return;
    event.preventDefault();
    event.stopPropagation();
    close(false);
    act.onAct();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        id={id}
        aria-label={name}
        aria-haspopup="menu"
        aria-expanded={shown !== "no"}
        onPointerEnter={(event) => {
          if (event.pointerType === "mouse") onPointer(true);
        }}
        onPointerLeave={() => onPointer(false)}
        onFocus={(event) => {
          if (event.currentTarget.matches(":focus-visible"))
            setShown((now) => (now === "no" ? "focused" : now));
        }}
        onBlur={() => setShown((now) => (now === "focused" ? "no" : now))}
        onClick={() => {
          if (matchMedia("(max-width: 639px)").matches) onSheet(true);
          else setShown("entered");
        }}
        onKeyDown={onKeyDown}
        data-station
        className="station-target"
      >
        <span className={clsx("station block size-3.5 rounded-full border-2 bg-canvas", rings[state])} />
      </button>
      {shown === "no" || sheet ? null : (
        <StationMenu
          label={name}
          acts={acts}
          note={note}
          anchor={button}
          entered={shown === "entered"}
          onClose={close}
          onPointer={onPointer}
        />
      )}
      {sheet ? (
        <Suspense fallback={null}>
          <ActionMenu
            label={name}
            groups={[acts]}
            note={note === "" ? undefined : note}
            anchor={button}
            onClose={() => onSheet(false)}
          />
        </Suspense>
      ) : null}
    </>
  );
}
