import { type PointerEvent, type RefObject, useEffect, useState } from "react";
import { t } from "../../../messages/t";
import { firstWidth, fitting, moved, widest } from "./panel.logic";
import { usePanelWidth } from "./width.store";

/** The border of the panel, which is moved by dragging it or with the arrows; a double press puts it back. */
export function Divider({ panel }: { panel: RefObject<HTMLElement | null> }) {
  const { width, set } = usePanelWidth();
  const [place, setPlace] = useState(0);
  useEffect(() => {
    const frame = panel.current?.parentElement;
    if (frame === undefined || frame === null) return undefined;
    const observer = new ResizeObserver(() => setPlace(frame.clientWidth));
    observer.observe(frame);
    return () => observer.disconnect();
  }, [panel]);
  const rtl = () => document.documentElement.dir === "rtl";
  const drag = (event: PointerEvent) => {
    const frame = panel.current?.parentElement?.getBoundingClientRect();
    if (frame === undefined || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
    set(fitting(rtl() ? event.clientX - frame.left : frame.right - event.clientX, frame.width));
  };
  return (
    <div
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={t("panel.width")}
      aria-valuenow={fitting(width, place)}
      aria-valuemin={fitting(0, place)}
      aria-valuemax={widest(place)}
      className="panel-divider"
      onKeyDown={(event) => {
        const to = moved(event.key, fitting(width, place), place, rtl());
        if (to === null) return;
        event.preventDefault();
        set(to);
      }}
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={drag}
      onDoubleClick={() => set(firstWidth)}
    />
  );
}
