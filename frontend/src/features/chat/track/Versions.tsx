import { ChevronLeft, ChevronRight } from "lucide-react";
import { Suspense, useState } from "react";
import { shortDate } from "../../../messages/format";
import { t } from "../../../messages/t";
import { IconButton } from "../../../ui/Button";
import { useNow } from "../../../ui/useNow";
import { versionsOf } from "./outline.logic";
import { useOutline } from "./useOutline";
import { fetched } from "../../../ui/fetched";

const CutBox = fetched(() => import("./CutBox"));

/** Pages through the attempts that stood in a prompt's place; nothing where there was none. */
export function Versions({ seq }: { seq: number }) {
  const { outline, stops } = useOutline();
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
        <Suspense fallback={null}>
          <CutBox
            key={cut.epoch}
            cut={cut}
            note={t("cut.kept", {
              n: cut.prompts,
              at: shortDate(cut.at, now),
              until: shortDate(cut.expires, now),
            })}
          />
        </Suspense>
      )}
    </div>
  );
}
