import { FileText, RotateCw, X } from "lucide-react";
import type { ReactNode } from "react";
import { blobUrl } from "../../api/calls";
import { emptyDraft } from "../../live/draft";
import { bytes } from "../../messages/format";
import { t } from "../../messages/t";
import { IconButton } from "../../ui/Button";
import { isPicture } from "./composer.logic";
import { useDrafts } from "./draft.store";
import { unfit, type UploadItem, useUploads } from "./upload.store";

/** What is sent along with the prompt: what has arrived at the server, and what is on its way. */
export default function Files({ draftKey }: { draftKey: string }) {
  const { attachments } = useDrafts((s) => s.drafts[draftKey] ?? emptyDraft);
  const attach = useDrafts((s) => s.attach);
  const uploads = useUploads((s) => s.uploads[draftKey]);
  const drop = useUploads((s) => s.drop);
  const again = useUploads((s) => s.again);
  return (
    <ul
      aria-label={t("attach.list")}
      className="flex max-h-[30dvh] flex-wrap gap-2 overflow-y-auto px-3 pt-2 short:flex-nowrap"
    >
      {attachments.map((file) => (
        <Tile
          key={`${file.sha256}:${file.name}`}
          name={file.name}
          note={bytes(file.bytes)}
          picture={isPicture(file) ? blobUrl(draftKey, file.sha256) : ""}
          onRemove={() =>
            attach(
              draftKey,
              attachments.filter((other) => other !== file),
            )
          }
        />
      ))}
      {uploads?.map((item) => (
        <Going
          key={item.id}
          item={item}
          onRemove={() => drop(draftKey, item.id)}
          onAgain={() => again(draftKey, item.id)}
        />
      ))}
    </ul>
  );
}

type GoingProps = { item: UploadItem; onRemove: () => void; onAgain: () => void };

function Going({ item, onRemove, onAgain }: GoingProps) {
  const { file, share, fault } = item;
  const percent = Math.round(share * 100);
  return (
    <Tile name={file.name} note={fault === "" ? `${percent} %` : ""} picture="" onRemove={onRemove}>
      {fault === "" ? (
        <progress
          aria-label={t("attach.going", { name: file.name })}
          value={share}
          max={1}
          className="h-1 w-full accent-(--caution-dot)"
        />
      ) : (
        <span role="alert" className="flex items-center gap-1 text-small text-stop">
          <span className="min-w-0 wrap-anywhere">{fault}</span>
          {unfit(file, 0) === "" ? (
            <IconButton label={t("attach.again", { name: file.name })} onClick={onAgain}>
              <RotateCw aria-hidden="true" size={14} />
            </IconButton>
          ) : null}
        </span>
      )}
    </Tile>
  );
}

type TileProps = {
  name: string;
  note: string;
  picture: string;
  onRemove: () => void;
  children?: ReactNode;
};

function Tile({ name, note, picture, onRemove, children }: TileProps) {
  return (
    <li className="flex max-w-full items-center gap-2 rounded-2 border border-line-2 bg-sunken ps-2 text-small">
      {picture === "" ? (
        <FileText aria-hidden="true" size={14} className="text-ink-3" />
      ) : (
        <img src={picture} alt="" className="-ms-1 size-9 rounded-1 object-cover" />
      )}
      <span className="flex min-w-0 flex-col">
        <bdi dir="auto" className="max-w-48 truncate font-medium">
          {name}
        </bdi>
        {children ?? <span className="font-mono text-count text-ink-3">{note}</span>}
      </span>
      <IconButton label={t("attach.remove", { name })} onClick={onRemove} className="text-ink-3">
        <X aria-hidden="true" size={14} />
      </IconButton>
    </li>
  );
}
