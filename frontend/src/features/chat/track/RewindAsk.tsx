import { CornerDownLeft, Undo2 } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { Prompt } from "../../../live/rows";
import { clockTime } from "../../../messages/format";
import { t } from "../../../messages/t";
import { Button } from "../../../ui/Button";
import { sayFailed } from "../../../ui/toast";
import { useKeyIn } from "../../../ui/useKeyIn";
import { endBefore, leavingFrom } from "./outline.logic";
import { useTrack } from "./track.store";
import { useOutline } from "./useOutline";
import { usePoints } from "./usePoints";

/** Asks, inside the prompt, whether it and all after it are to leave the chat. */
export function RewindAsk({ prompt, onClose }: { prompt: Prompt; onClose: () => void }) {
  const { stops } = useOutline();
  const { busy, rewindTo, forkAt } = usePoints();
  const [fault, setFault] = useState("");
  const act = useRef<HTMLButtonElement>(null);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => act.current?.focus({ preventScroll: true }), []);
  const setRewinding = useTrack((s) => s.setRewinding);
  const leave = leavingFrom(stops, prompt.seq);
  const before = endBefore(stops, prompt.seq);

  const rewind = async () => {
    setRewinding(true);
    try {
      const said = await rewindTo(prompt.seq);
      if (said === null) onClose();
      // Somebody else may have taken the prompt out first, and the question with it.
      else if (place.current === null) sayFailed(said);
      else setFault(said);
    } finally {
      setRewinding(false);
    }
  };
  const forkInstead = () => {
    onClose();
    void forkAt(before === null ? {} : { after: before }, before === null ? "" : prompt.text);
  };
  useKeyIn(place, (event) => {
    const fork = event.key.toLowerCase() === "f" && !event.ctrlKey && !event.metaKey;
    if (event.key !== "Escape" && !fork) return;
    event.preventDefault();
    event.stopPropagation();
    if (fork) forkInstead();
    else onClose();
  });
  return (
    <div
      ref={place}
      role="group"
      aria-label={t("rewind.title", { at: clockTime(prompt.at) })}
      className="mt-2 w-full basis-full border-t border-line pt-2.5"
    >
      <p className="flex flex-wrap items-center gap-x-2 text-ui">
        <Undo2 aria-hidden="true" size={14} className="text-stop" />
        <strong className="flex-1 font-semibold">{t("rewind.title", { at: clockTime(prompt.at) })}</strong>
        <span className="text-small text-ink-3">{t("rewind.leave", { n: leave })}</span>
      </p>
      <p className="mt-1 text-small text-ink-2">{t("rewind.body")}</p>
      {fault === "" ? null : (
        <p role="alert" className="mt-1 text-small text-stop">
          {fault}
        </p>
      )}
      <div className="mt-2.5 flex flex-wrap gap-3">
        <Button ref={act} look="danger" disabled={busy} onClick={() => void rewind()}>
          {t("rewind.act")}
          <CornerDownLeft aria-hidden="true" size={12} className="max-sm:hidden" />
        </Button>
        <Button disabled={busy} onClick={forkInstead}>
          {t(before === null ? "rewind.copy" : "rewind.fork")}
          <kbd aria-hidden="true" className="font-mono text-count text-ink-3 max-sm:hidden">
            F
          </kbd>
        </Button>
        <Button look="ghost" onClick={onClose}>
          {t("cancel")}
          <kbd aria-hidden="true" className="font-mono text-count text-ink-3 max-sm:hidden">
            {t("key.esc")}
          </kbd>
        </Button>
      </div>
    </div>
  );
}
