import { useMemo, useState } from "react";
import type { Prompt, Row, Run } from "../../../live/rows";
import { MarkdownChat } from "../../../markdown/context";
import { clockTime } from "../../../messages/format";
import { t } from "../../../messages/t";
import { Kept } from "../../../ui/kept";
import { StepContext, type StepPlace } from "../../toolcall";
import { useChat } from "../context";
import { CutNote } from "../CutNote";
import { ItemView, RunEnd } from "../ItemView";
import { type Item, itemsOf, toggled } from "../list.logic";
import { ThreadPlace, useThreadPlace } from "../placement";
import { PromptFiles } from "../PromptFiles";
import { RowView } from "../Rows";

const place = { over: true };

/** A prompt that was taken out, and what it started, as it looks in the thread but without its acts. */
export function AttemptRun({ run, me }: { run: Run; me: string }) {
  const { id } = useChat();
  const places = useThreadPlace();
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const items = useMemo(() => itemsOf(run, { past: true, live: false, day: null, opened }), [run, opened]);
  const [kept] = useState(() => new Map<string, boolean>());
  const within = useMemo(
    () => ({
      ...places,
      toggleFold: (fold: Item & { readonly kind: "fold" }) => setOpened((open) => toggled(open, fold)),
    }),
    [places],
  );
  const cwd = run.started?.cwd ?? "";
  const steps = useMemo((): StepPlace => {
    const drawRows = (rows: readonly Row[]) => rows.map((row) => <RowView key={row.key} row={row} over />);
    return { chatId: id, over: true, cwd, drawRows };
  }, [id, cwd]);
  const view = (item: Item) => {
    switch (item.kind) {
      case "prompt":
        return <OldPrompt prompt={item.prompt} me={me} />;
      case "cut":
      case "working":
        return null;
      case "end":
        return <RunEnd run={item.run} place={place} />;
      default:
        return <ItemView item={item} place={place} />;
    }
  };
  return (
    <ThreadPlace value={within}>
      <Kept value={kept}>
        <StepContext value={steps}>
          <MarkdownChat value={id}>
            <div className="flex flex-col gap-2.5">
              {items.map((item) => (
                // An attempt can be as long as a chat: what is out of sight costs no layout.
                <div key={item.key} className="far">
                  {view(item)}
                </div>
              ))}
            </div>
          </MarkdownChat>
        </StepContext>
      </Kept>
    </ThreadPlace>
  );
}

function OldPrompt({ prompt, me }: { prompt: Prompt; me: string }) {
  const by = prompt.by.id === me ? t("you") : prompt.by.name;
  const cut = prompt.refs["/text"];
  return (
    <article aria-label={t("attempt.prompt", { name: by })}>
      <p className="flex items-baseline gap-2 text-small text-ink-3">
        <time dateTime={prompt.at} className="font-mono text-count">
          {clockTime(prompt.at)}
        </time>
        <bdi>{by}</bdi>
      </p>
      <p dir="auto" className="text-body font-medium wrap-anywhere whitespace-pre-wrap">
        {prompt.continues === "" ? prompt.text : t("continued")}
      </p>
      {cut === undefined ? null : <CutNote body={cut} />}
      <PromptFiles files={prompt.attachments} />
    </article>
  );
}
