import { ChevronLeft, ChevronRight } from "lucide-react";
import { useState } from "react";
import { shortDate } from "../../../messages/format";
import { t } from "../../../messages/t";
import { Button, IconButton } from "../../../ui/Button";
import { useNow } from "../../../ui/useNow";
import { versionsOf } from "./outline.logic";
import { useOutline } from "./useOutline";
import { usePoints } from "./usePoints";

/** Pages through the attempts that stood in a prompt's place; nothing where there was none. */
export function Versions({ seq, write }: { seq: number; write: boolean }) {
  const { outline, stops } = useOutline();
  const { busy, bringBack } = usePoints();
  const now = useNow(60_000);
  const cuts = versionsOf(outline, stops, seq);
  const [chosen, setChosen] = useState<number | null>(null);
  if (cuts.length === 0) return null;
  const all = cuts.length + 1;
  const at = Math.min(chosen ?? cuts.length, cuts.length);
  const cut = cuts[at];
  return (
    <div className="w-full basis-full">
      <p className="flex items-center gap-0.5 text-small text-ink-3">
        <IconButton
          label={t("versions.before")}
          aria-disabled={at === 0}
          onClick={() => setChosen(Math.max(0, at - 1))}
        >
          <ChevronLeft aria-hidden="true" size={14} />
        </IconButton>
        <span
          role="status"
          aria-label={t("versions.of", { n: at + 1, all })}
          className="font-mono text-count"
        >
          {at + 1} / {all}
        </span>
        <IconButton
          label={t("versions.after")}
          aria-disabled={at === cuts.length}
          onClick={() => setChosen(Math.min(cuts.length, at + 1))}
        >
          <ChevronRight aria-hidden="true" size={14} />
        </IconButton>
      </p>
      {cut === undefined ? null : (
        <div className="mb-1 rounded-2 border border-dashed border-line-3 px-2.5 py-1.5">
          <p dir="auto" className="text-ui text-ink-2 wrap-anywhere">
            {cut.line}
          </p>
          <p className="mt-0.5 flex flex-wrap items-center gap-x-3 gap-y-1 text-small text-ink-3">
            {t("cut.kept", {
              n: cut.prompts,
              at: shortDate(cut.at, now),
              until: shortDate(cut.expires, now),
            })}
            {write ? (
              <Button disabled={busy} onClick={() => void bringBack(cut)}>
                {cut.restorable ? t("cut.back", { n: cut.prompts }) : t("cut.fork")}
              </Button>
            ) : null}
          </p>
        </div>
      )}
    </div>
  );
}
