import { ChevronDown, ChevronRight } from "lucide-react";
import { useMemo, useState } from "react";
import { clockTime } from "../../../messages/format";
import { t } from "../../../messages/t";
import { Counts } from "../../../ui/Counts";
import { Kept } from "../../../ui/kept";
import { changesOf, DiffTable, type FileChanges, plainText } from "../../toolcall";
import { useChatState } from "../context";

/** The files that the chat's agents wrote, and what each time changed. */
export default function Changes({ cwd }: { cwd: string }) {
  const thread = useChatState((s) => s.thread);
  const more = useChatState((s) => s.log.hasMore);
  const [kept] = useState(() => new Map<string, boolean>());
  const files = useMemo(
    () =>
      changesOf(
        thread.map((run) => ({ rows: run.rows, over: run.complete !== undefined })),
        cwd,
      ),
    [thread, cwd],
  );
  const sum = (of: (file: FileChanges) => number) => files.reduce((n, file) => n + of(file), 0);
  return (
    <Kept value={kept}>
      <div className="flex items-baseline gap-2 pb-3">
        <h2 className="flex-1 text-heading font-semibold">{t("panel.changes")}</h2>
        {files.length === 0 ? null : (
          <span className="font-mono text-count text-ink-3">
            {t("files", { n: files.length })}{" "}
            <Counts added={sum((f) => f.added)} removed={sum((f) => f.removed)} />
          </span>
        )}
      </div>
      {files.length === 0 ? (
        <p className="text-ui text-ink-3">{t("changes.none")}</p>
      ) : (
        <ul
          aria-label={t("changes.files")}
          className="divide-y divide-line overflow-hidden rounded-3 border border-line-2 bg-raised"
        >
          {files.map((file) => (
            <File key={file.path} file={file} />
          ))}
        </ul>
      )}
      <p className="pt-3 text-small text-ink-3">{t(more ? "changes.more" : "changes.note")}</p>
    </Kept>
  );
}

function File({ file }: { file: FileChanges }) {
  const [open, setOpen] = useState(false);
  const Chevron = open ? ChevronDown : ChevronRight;
  const unsure = file.changes.some((change) => change.unsure);
  return (
    <li>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="target flex w-full min-w-0 items-center gap-2 px-3 text-start text-ui -outline-offset-2 hover:bg-hover"
      >
        <Chevron aria-hidden="true" size={14} className="text-ink-3" />
        <bdi dir="ltr" className="min-w-0 flex-1 truncate font-mono text-code" title={file.path}>
          {plainText(file.path)}
        </bdi>
        {unsure ? <span className="text-small text-stop">{t("unfinished")}</span> : null}
        <Counts added={file.added} removed={file.removed} />
      </button>
      {open
        ? file.changes.map(({ step, diff }) => (
            <div key={step.key} className="border-t border-line">
              <p className="bg-sunken px-3 py-1 font-mono text-count text-ink-3">{clockTime(step.from)}</p>
              {diff === null ? (
                <p className="px-3 py-2 text-small text-ink-3">{t("changes.unknown")}</p>
              ) : (
                <DiffTable id={`panel:${step.key}`} diff={diff} name={file.path} />
              )}
            </div>
          ))
        : null}
    </li>
  );
}
