import { ChevronDown, ChevronRight } from "lucide-react";
import { useMemo, useState } from "react";
import { clockTime } from "../../../messages/format";
import { t } from "../../../messages/t";
import { Button } from "../../../ui/Button";
import { Counts } from "../../../ui/Counts";
import { Kept } from "../../../ui/kept";
import { changesOf, DiffTable, type FileChanges, plainText } from "../../toolcall";
import { useWritten } from "./useWritten";

/** So many files, and changes of a file, are drawn at once. */
const files = 200;
const changes = 20;

/** The files that the chat's agents wrote, and what each time changed. */
export default function Changes({ cwd }: { cwd: string }) {
  const { runs, looking, failed, more, lookOn } = useWritten();
  const [kept] = useState(() => new Map<string, boolean>());
  const [most, setMost] = useState(files);
  const all = useMemo(
    () =>
      changesOf(
        runs.map((run) => ({ rows: run.rows, over: run.complete !== undefined })),
        cwd,
      ),
    [runs, cwd],
  );
  const sum = (of: (file: FileChanges) => number) => all.reduce((n, file) => n + of(file), 0);
  return (
    <Kept value={kept}>
      <div className="flex items-baseline gap-2 pb-3">
        <h2 className="flex-1 text-heading font-semibold">{t("panel.changes")}</h2>
        {all.length === 0 ? null : (
          <span className="font-mono text-count text-ink-3">
            {t("files", { n: all.length })}{" "}
            <Counts added={sum((f) => f.added)} removed={sum((f) => f.removed)} />
            {looking || failed || more ? ` ${t("changes.sofar")}` : ""}
          </span>
        )}
      </div>
      {all.length === 0 && !looking && !failed && !more ? (
        <p className="text-ui text-ink-3">{t("changes.none")}</p>
      ) : null}
      {all.length === 0 ? null : (
        <ul
          aria-label={t("changes.files")}
          aria-busy={looking}
          className="divide-y divide-line overflow-hidden rounded-3 border border-line-2 bg-raised"
        >
          {all.slice(0, most).map((file) => (
            <File key={file.path} file={file} />
          ))}
        </ul>
      )}
      {all.length > most ? (
        <Button className="mt-3" onClick={() => setMost(most + files)}>
          {t("changes.files.more", { n: Math.min(files, all.length - most) })}
        </Button>
      ) : null}
      <p role="status" className="pt-3 text-small text-ink-3">
        {looking ? t("changes.looking") : ""}
      </p>
      {failed && !looking ? (
        <p role="alert" className="flex flex-wrap items-center gap-3 text-small text-stop">
          {t("changes.failed")}
          <Button onClick={lookOn}>{t("retry")}</Button>
        </p>
      ) : null}
      {more && !looking && !failed ? <Button onClick={lookOn}>{t("changes.earlier")}</Button> : null}
      <p className="pt-3 text-small text-ink-3">{t("changes.note")}</p>
    </Kept>
  );
}

function File({ file }: { file: FileChanges }) {
  const [open, setOpen] = useState(false);
  const [most, setMost] = useState(changes);
  const Chevron = open ? ChevronDown : ChevronRight;
  const unsure = file.changes.some((change) => change.unsure);
  const earlier = file.changes.length - most;
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
      {open && earlier > 0 ? (
        <div className="border-t border-line px-3 py-2">
          <Button onClick={() => setMost(most + changes)}>
            {t("changes.file.earlier", { n: Math.min(changes, earlier) })}
          </Button>
        </div>
      ) : null}
      {open
        ? file.changes.slice(-most).map(({ step, diff }) => (
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
