import { FileText } from "lucide-react";
import { Suspense, useState } from "react";
import { blobUrl } from "../../api/calls";
import { bytes } from "../../messages/format";
import { t } from "../../messages/t";
import type { Attachment } from "../../wire/types";
import { isPicture } from "../composer";
import { useChat } from "./context";
import { fetched } from "../../ui/fetched";

const Lightbox = fetched(() => import("../../ui/Lightbox"));

/** What was sent along with a prompt: pictures as pictures, other files by name. */
export function PromptFiles({ files }: { files: readonly Attachment[] }) {
  const { id } = useChat();
  const [shown, setShown] = useState<Attachment | null>(null);
  if (files.length === 0) return null;
  return (
    <>
      <ul aria-label={t("attach.list")} className="mt-1 flex w-full flex-wrap gap-2">
        {files.map((file) =>
          isPicture(file) ? (
            <li key={file.sha256}>
              <button
                type="button"
                aria-label={t("picture.show", { name: file.name })}
                onClick={() => setShown(file)}
                className="target rounded-2 border border-line-2 bg-sunken"
              >
                <img
                  src={blobUrl(id, file.sha256)}
                  alt={file.name}
                  loading="lazy"
                  className="h-24 max-w-48 rounded-2 object-contain"
                />
              </button>
            </li>
          ) : (
            <li key={file.sha256}>
              <a
                href={blobUrl(id, file.sha256)}
                download={file.name}
                className="target inline-flex max-w-full items-center gap-2 rounded-2 border border-line-2 bg-sunken px-2 text-small hover:bg-hover"
              >
                <FileText aria-hidden="true" size={14} className="text-ink-3" />
                <bdi dir="auto" className="max-w-48 truncate font-medium">
                  {file.name}
                </bdi>
                <span className="font-mono text-count text-ink-3">{bytes(file.bytes)}</span>
              </a>
            </li>
          ),
        )}
      </ul>
      {shown === null ? null : (
        <Suspense fallback={null}>
          <Lightbox src={blobUrl(id, shown.sha256)} name={shown.name} onClose={() => setShown(null)} />
        </Suspense>
      )}
    </>
  );
}
