import { blobUrl } from "../../api/calls";
import { bytes } from "../../messages/format";
import { t } from "../../messages/t";
import type { BlobRef } from "../../wire/types";
import { useChat } from "./context";

/** Says that a text is longer than what is shown, and where the whole is. */
export function CutNote({ body }: { body: BlobRef }) {
  const { id } = useChat();
  return (
    <p className="mt-2 flex flex-wrap items-center gap-3 text-small text-ink-3">
      {t("whole.cut", { size: bytes(body.bytes) })}
      <a className="target inline-flex items-center text-accent" href={blobUrl(id, body.sha256)} download>
        {t("whole.download")}
      </a>
    </p>
  );
}
