import { t } from "../../../messages/t";
import { Badge } from "../../../ui/Badge";
import { Button } from "../../../ui/Button";
import type { Cut } from "../../../wire/types";
import { useMayWrite } from "../useMayWrite";
import { usePoints } from "./usePoints";
import { Attempt } from "../attempt";

type Props = { cut: Cut; note: string };

/** An attempt that was taken out: how long it is kept, how it comes back, and all of it to be read. */
export default function CutBox({ cut, note }: Props) {
  const write = useMayWrite();
  const { busy, bringBack } = usePoints();
  return (
    <div className="mt-1 mb-1 rounded-2 border border-dashed border-line-3 px-2.5 py-1.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-small text-ink-2">
        <Badge>{t("attempt.mark")}</Badge>
        <span className="min-w-48 flex-1">{note}</span>
        {write ? (
          <Button disabled={busy} onClick={() => void bringBack(cut)}>
            {cut.restorable ? t("cut.back", { n: cut.prompts }) : t("cut.fork")}
          </Button>
        ) : null}
      </div>
      <Attempt cut={cut} />
    </div>
  );
}
