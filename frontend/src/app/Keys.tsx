import { Suspense, useCallback, useEffect, useState } from "react";
import { EarlyPalette } from "./EarlyPalette";
import { useKeys } from "./useKeys";
import { fetched } from "../ui/fetched";

const Help = fetched(() => import("../features/help").then((door) => ({ default: door.Help })));
const load = () => import("../features/palette").then((door) => ({ default: door.Palette }));
const Palette = fetched(load);
/** The palette is fetched once the page is at rest, before its key is pressed. */
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
  const close = useCallback(() => setOpen(null), []);
  return (
    <>
      <Suspense fallback={null}>{open === "help" ? <Help onClose={close} /> : null}</Suspense>
      {open === "palette" ? <Finder newChat={newChat} onHelp={help} onClose={close} /> : null}
    </>
  );
}

type FinderProps = { newChat: () => void; onHelp: () => void; onClose: () => void };

/** The palette, and its field alone until it is there: that one goes when the other has the focus. */
function Finder({ newChat, onHelp, onClose }: FinderProps) {
  const [text, setText] = useState("");
  const [composing, setComposing] = useState(false);
  const [there, setThere] = useState(false);
  const [before] = useState(() =>
    document.activeElement instanceof HTMLElement ? document.activeElement : null,
  );
  const leave = () => {
    onClose();
    before?.focus();
  };
  return (
    <>
      {there ? null : (
        <EarlyPalette text={text} onWrite={setText} onClose={leave} onComposing={setComposing} />
      )}
      {composing ? null : (
        <Suspense fallback={null}>
          <Palette
            text={text}
            onWrite={setText}
            newChat={newChat}
            onHelp={onHelp}
            onClose={onClose}
            before={before}
            onReady={() => setThere(true)}
          />
        </Suspense>
      )}
    </>
  );
}
