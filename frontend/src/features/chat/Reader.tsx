import { Eye } from "lucide-react";
import { t } from "../../messages/t";
import { Queue } from "./queue/Queue";
import { Typing } from "./Typing";

/** In the place of the composer for somebody who may only read. */
export function Reader() {
  return (
    <div className="column composer-place">
      <Queue fixed going={[]} handle={null} />
      <Typing />
      <p
        id="composer"
        tabIndex={-1}
        className="flex flex-wrap items-center gap-x-2 rounded-4 border border-line-2 bg-raised px-3.5 py-3 text-ui text-ink-2"
      >
        <Eye aria-hidden="true" size={16} strokeWidth={1.75} />
        <span className="font-medium text-ink">{t("reader.title")}</span> {t("reader.body")}
      </p>
    </div>
  );
}
