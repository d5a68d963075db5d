import { clsx } from "clsx";
import { type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import type { Act } from "../../../ui/ActionMenu";

type Props = {
  label: string;
  acts: readonly Act[];
  note: string;
  anchor: RefObject<HTMLElement | null>;
  /** The keyboard goes into the list; else it stays where it is, and the list only shows. */
  entered: boolean;
  onClose: (back: boolean) => void;
  onPointer: (inside: boolean) => void;
};

/**
 * The list beside a station that is pointed at or has the focus. It takes no focus by itself: the
 * letters beside the acts work at the station.
 */
export function StationMenu({ label, acts, note, anchor, entered, onClose, onPointer }: Props) {
  const list = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState({ left: 0, top: 0 });
  useLayoutEffect(() => {
    const at = anchor.current?.getBoundingClientRect();
    const own = list.current?.getBoundingClientRect();
    if (at === undefined || own === undefined) return;
    const below = at.bottom + 6;
    const top = below + own.height > innerHeight - 8 ? Math.max(8, at.top - own.height - 6) : below;
    setPlace({ left: Math.min(at.right + 8, innerWidth - own.width - 8), top });
  }, [anchor]);
  useEffect(() => {
    if (entered) list.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
  }, [entered]);
  useEffect(() => {
    // What scrolls away takes its list with it.
    const close = () => onClose(false);
    const onKey = (event: globalThis.KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      event.preventDefault();
      close();
    };
    document.addEventListener("scroll", close, true);
    document.addEventListener("keydown", onKey);
    return () => {
      document.removeEventListener("scroll", close, true);
      document.removeEventListener("keydown", onKey);
    };
  }, [onClose]);

  const onKeyDown = (event: KeyboardEvent) => {
    const items = [...(list.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
    const here = items.findIndex((item) => item === document.activeElement);
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: (here + 1) % items.length,
      ArrowUp: (here - 1 + items.length) % items.length,
      Home: 0,
      End: items.length - 1,
    };
    const to = moves[event.key];
    if (to !== undefined) {
      event.preventDefault();
      items[to]?.focus();
    } else if (event.key === "Escape" || event.key === "Tab") {
      event.preventDefault();
      event.stopPropagation();
      onClose(true);
    }
  };
  return createPortal(
    <div
      ref={list}
      role="menu"
      data-shows={entered ? undefined : true}
      tabIndex={-1}
      aria-label={label}
      onKeyDown={onKeyDown}
      onPointerEnter={() => onPointer(true)}
      onPointerLeave={() => onPointer(false)}
      onBlur={(event) => {
        if (entered && !event.currentTarget.contains(event.relatedTarget)) onClose(false);
      }}
      style={place}
      className="fixed z-(--z-menu) min-w-56 rounded-3 border border-line-2 bg-raised p-1 shadow-3"
    >
      {acts.map((act) => (
        <button
          key={act.key}
          type="button"
          role="menuitem"
          tabIndex={-1}
          aria-disabled={act.unable !== undefined}
          onClick={() => {
            if (act.unable !== undefined) return;
            onClose(true);
            act.onAct();
          }}
          className={clsx(
            "target flex w-full items-center gap-2.5 rounded-2 px-2 text-start text-ui -outline-offset-2 hover:bg-hover focus:bg-hover",
            act.unable === undefined ? "text-ink" : "text-ink-3",
          )}
        >
          <act.icon aria-hidden="true" size={14} strokeWidth={1.75} className="text-ink-3" />
          <span className="min-w-0 flex-1">
            {act.name}
            {act.unable === undefined ? null : (
              <span className="block text-small text-ink-3">{act.unable}</span>
            )}
          </span>
          <kbd aria-hidden="true" className="font-mono text-count text-ink-3">
            {act.hint}
          </kbd>
        </button>
      ))}
      {note === "" ? null : (
        <p className="mt-1 max-w-64 border-t border-line px-2 pt-1.5 pb-0.5 text-small text-ink-3">{note}</p>
      )}
    </div>,
    // Within the page's main part it belongs to a landmark.
    document.querySelector("main") ?? document.body,
  );
}
