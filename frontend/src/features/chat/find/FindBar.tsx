import { Suspense, useEffect } from "react";
import { useFind } from "./find.store";
import { fetched } from "../../../ui/fetched";

const load = () => import("./FindPanel");
const FindPanel = fetched(load);
/** What is typed right after Ctrl+F is to find the field: it is fetched once the page is at rest. */
const rest = 2_000;

/** The find bar, which Ctrl+F opens; pressed again in its field, the browser's own opens. */
export function FindBar() {
  const shown = useFind((s) => s.shown);
  const open = useFind((s) => s.open);
  const close = useFind((s) => s.close);
  useEffect(() => {
    const timer = setTimeout(() => void load().catch(() => undefined), rest);
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (
        event.key.toLowerCase() !== "f" ||
        !(event.ctrlKey || event.metaKey) ||
        event.altKey ||
        event.shiftKey
      )
        return;
      if ((document.activeElement?.closest("search") ?? null) !== null) return;
      event.preventDefault();
      open();
    };
    document.addEventListener("keydown", onKey);
    return () => {
      document.removeEventListener("keydown", onKey);
      close();
    };
  }, [open, close]);
  if (!shown) return null;
  return (
    <Suspense fallback={null}>
      <FindPanel />
    </Suspense>
  );
}
