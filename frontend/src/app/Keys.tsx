import { lazy, Suspense, useCallback, useEffect, useState } from "react";
import { useKeys } from "./useKeys";

const Help = lazy(() => import("../features/help").then((door) => ({ default: door.Help })));
const load = () => import("../features/palette").then((door) => ({ default: door.Palette }));
const Palette = lazy(load);
/** What is typed right after Ctrl+K is to find the field: it is fetched once the page is at rest. */
const rest = 2_000;

type Open = "help" | "palette" | null;

/** The keys that work everywhere, and what they open. */
export function Keys({ newChat }: { newChat: () => void }) {
  const [open, setOpen] = useState<Open>(null);
  const help = useCallback(() => setOpen("help"), []);
  const palette = useCallback(() => setOpen((now) => (now === "palette" ? null : "palette")), []);
  useEffect(() => {
    const timer = setTimeout(() => void load().catch(() => undefined), rest);
    return () => clearTimeout(timer);
  }, []);
  useKeys({ newChat, help, palette });
  const close = () => setOpen(null);
  return (
    <Suspense fallback={null}>
      {open === "help" ? <Help onClose={close} /> : null}
      {open === "palette" ? <Palette newChat={newChat} onHelp={help} onClose={close} /> : null}
    </Suspense>
  );
}
