import { lazy, Suspense, useCallback, useState } from "react";
import { useKeys } from "./useKeys";

const Help = lazy(() => import("../features/help").then((door) => ({ default: door.Help })));
const Palette = lazy(() => import("../features/palette").then((door) => ({ default: door.Palette })));

type Open = "help" | "palette" | null;

/** The keys that work everywhere, and what they open. */
export function Keys({ newChat }: { newChat: () => void }) {
  const [open, setOpen] = useState<Open>(null);
  const help = useCallback(() => setOpen("help"), []);
  const palette = useCallback(() => setOpen((now) => (now === "palette" ? null : "palette")), []);
  useKeys({ newChat, help, palette });
  const close = () => setOpen(null);
  return (
    <Suspense fallback={null}>
      {open === "help" ? <Help onClose={close} /> : null}
      {open === "palette" ? <Palette newChat={newChat} onHelp={help} onClose={close} /> : null}
    </Suspense>
  );
}
