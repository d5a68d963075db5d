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
    let covered = false;
    const onBefore = () => {
      covered = layerOpen();
    };
    const onKey = (event: KeyboardEvent) => {
      // One that closed something, belongs to an input method or is held down is not meant for the run.
      if (event.key !== "Escape" || covered || event.defaultPrevented || event.repeat) return;
      if (event.isComposing || event.keyCode === 229) return;
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
    document.addEventListener("keydown", onBefore, true);
    window.addEventListener("keydown", onKey);
    return () => {
      document.removeEventListener("keydown", onBefore, true);
      window.removeEventListener("keydown", onKey);
      clearTimeout(timer);
      setArmed(false);
    };
  }, [active, stop]);
  return armed;
}
