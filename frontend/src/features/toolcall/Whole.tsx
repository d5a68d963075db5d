import { type ReactNode, useState } from "react";
import { blobText, blobUrl } from "../../api/calls";
import { bytes } from "../../messages/format";
import { t } from "../../messages/t";
import type { BlobRef } from "../../wire/types";

/** A body larger than this is offered as a file: a page cannot show it well. */
const mostShown = 4_000_000;

type Props = { chatId: string; body: BlobRef; draw: (text: string | null) => ReactNode };

/** A text of which the log holds only the beginning: the whole is one click away. */
export function Whole({ chatId, body, draw }: Props) {
  const [state, setState] = useState<"cut" | "loading" | "failed" | { readonly text: string }>("cut");
  if (typeof state === "object") return draw(state.text);
  const load = async () => {
    setState("loading");
    try {
      setState({ text: await blobText(chatId, body.sha256) });
    } catch {
      setState("failed");
    }
  };
  return (
    <>
      {draw(null)}
      <p className="flex flex-wrap items-center gap-3 border-t border-line bg-sunken px-3 text-small text-ink-2">
        {t(state === "failed" ? "whole.failed" : "whole.cut", { size: bytes(body.bytes) })}
        {body.bytes <= mostShown ? (
          <button
            type="button"
            className="target text-accent"
            disabled={state === "loading"}
            onClick={() => void load()}
          >
            {t("whole.show")}
          </button>
        ) : null}
        <a
          className="target inline-flex items-center text-accent"
          href={blobUrl(chatId, body.sha256)}
          download
        >
          {t("whole.download")}
        </a>
      </p>
    </>
  );
}
