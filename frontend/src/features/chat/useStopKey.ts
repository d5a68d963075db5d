import { useEffect, useState } from "react";
import { layerOpen } from "../../ui/keys";

const within = 2_000;

/** Esc twice within two seconds stops; the first press says so. Returns whether it was pressed once. */
export function useStopKey(active: boolean, stop: () => void): boolean {
  const [armed, setArmed] = useState(false);
  useEffect(() => {
    if (!active) return undefined;
    let since = -Infinity;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onKey = (event: KeyboardEvent) => {
      // One that closed a layer, or belongs to an input method, is not meant for the run.
      if (event.key !== "Escape" || event.isComposing || event.defaultPrevented || layerOpen()) return;
      if (event.timeStamp - since < within) {
        clearTimeout(timer);
        since = -Infinity;
        setArmed(false);
        stop();
        return;
      }
      since = event.timeStamp;
      setArmed(true);
      clearTimeout(timer);
      timer = setTimeout(() => setArmed(false), within);
    };
    document.addEventListener("keydown", onKey, true);
    return () => {
      document.removeEventListener("keydown", onKey, true);
      clearTimeout(timer);
      setArmed(false);
    };
  }, [active, stop]);
  return armed;
}
