import { Info, TriangleAlert } from "lucide-react";
import { memo } from "react";
import { blobUrl } from "../../api/calls";
import type { NoticeRow } from "../../live/rows";
import { bytes } from "../../messages/format";
import { t } from "../../messages/t";
import { useChat } from "./context";

/** Something that the daemon or the agent has to say about the run. */
export const Notice = memo(function Notice({ row }: { row: NoticeRow }) {
  const { id } = useChat();
  const Icon = row.level === "warn" ? TriangleAlert : Info;
  return (
    <p className="flex items-start gap-2 text-small text-ink-2">
      <Icon
        role="img"
        aria-label={t(row.level === "warn" ? "notice.warn" : "notice.info")}
        size={14}
        className={row.level === "warn" ? "mt-0.5 text-caution" : "mt-0.5 text-ink-3"}
      />
      <span className="min-w-0 wrap-anywhere">
        {row.text}
        {row.ref === undefined ? null : (
          <>
            {" "}
            <a className="text-accent underline" href={blobUrl(id, row.ref.sha256)} download>
              {t("notice.whole", { size: bytes(row.ref.bytes) })}
            </a>
          </>
        )}
      </span>
    </p>
  );
});
