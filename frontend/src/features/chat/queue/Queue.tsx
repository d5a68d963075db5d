import { ChevronDown, ChevronUp } from "lucide-react";
import { type Ref, useEffect, useImperativeHandle, useRef, useState } from "react";
import type { Outgoing } from "../../../live/outbox";
import { queueRows } from "../../../live/queue";
import { t } from "../../../messages/t";
import { Glyph } from "../../../ui/Glyph";
import { useChat, useChatState } from "../context";
import { Chip } from "./Chip";
import { Editor } from "./Editor";
import { Paused } from "./Paused";
import { type ChipAct, placeBy } from "./queue.logic";
import { useReorder } from "./useReorder";

/** Opens the last prompt of the queue for editing; false when there is none. */
export type QueueHandle = { readonly editLast: () => boolean };

type Editing = { readonly id: string; readonly text: string; readonly was: string; readonly base: number };

type Props = {
  /** The person may only read, or there is no line. */
  fixed: boolean;
  /** Prompts of this browser that are on their way into the queue. */
  going: readonly Outgoing[];
  handle: Ref<QueueHandle>;
};

/** The prompts that wait for the run to end, in their order. */
export function Queue({ fixed, going, handle }: Props) {
  const { store } = useChat();
  const queue = useChatState((s) => s.queue);
  const me = useChatState((s) => s.me?.id ?? "");
  const [editing, setEditing] = useState<Editing | null>(null);
  const [lost, setLost] = useState<Editing | null>(null);
  const [said, setSaid] = useState("");
  const [unfolded, setUnfolded] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const refocus = useRef("");
  const rows = queueRows(queue);
  const ids = rows.map((row) => row.item.clientId);
  const { queue: desk } = store;

  const edit = (id: string) => {
    const row = rows.find((r) => r.item.clientId === id);
    if (row === undefined || fixed) return;
    setUnfolded(true);
    setEditing({ id, text: row.text, was: row.text, base: queue.rev });
  };
  useImperativeHandle(handle, () => ({
    editLast: () => {
      const last = ids.at(-1);
      if (last === undefined || fixed) return false;
      edit(last);
      return true;
    },
  }));
  // A prompt that is sent while its text is changed: the server says so, and the words come back.
  if (editing !== null && !queue.items.some((item) => item.clientId === editing.id)) {
    setEditing(null);
    setLost(editing);
  }
  useEffect(() => {
    if (lost !== null && lost.text !== lost.was)
      desk.act(lost.id, { kind: "edit", text: lost.text }, lost.base);
  }, [lost, desk]);
  // A chip that has moved goes on having the focus.
  useEffect(() => {
    if (refocus.current === "") return;
    const chip = [...(box.current?.querySelectorAll<HTMLElement>("[data-queued]") ?? [])].find(
      (element) => element.dataset["queued"] === refocus.current,
    );
    refocus.current = "";
    chip?.focus();
  });

  const move = (id: string, to: number) => {
    if (to === 0 || ids[to - 1] === id) return;
    desk.act(id, { kind: "move", to });
    refocus.current = id;
    setSaid(t("queue.moved", { n: to, all: rows.length }));
  };
  const remove = (id: string) => {
    const at = ids.indexOf(id);
    desk.act(id, { kind: "remove" });
    setSaid(t("queue.removed"));
    refocus.current = ids[at + 1] ?? ids[at - 1] ?? "";
    if (ids.length === 1) document.getElementById("composer")?.focus();
  };
  const act = (id: string, what: Exclude<ChipAct, "none">) => {
    if (what === "edit") edit(id);
    else if (what === "remove") remove(id);
    else move(id, placeBy(rows, id, what === "earlier" ? -1 : 1));
  };
  const close = () => {
    refocus.current = editing?.id ?? "";
    setEditing(null);
  };
  const save = () => {
    if (editing === null || editing.text.trim() === "") return;
    if (editing.text !== editing.was)
      desk.act(editing.id, { kind: "edit", text: editing.text }, editing.base);
    close();
  };
  const over = useReorder(list, ids, move);
  const all = rows.length + going.length;

  return (
    <div ref={box}>
      <Paused queue={queue} fixed={fixed} onResume={() => desk.resume()} />
      <p role="status" className="sr-only">
        {said}
      </p>
      {all === 0 ? null : (
        <div className="flex flex-wrap items-center gap-2 pb-2">
          <span aria-hidden="true" className="text-small font-medium text-ink-2 max-sm:hidden">
            {t("queue")}
          </span>
          <button
            type="button"
            aria-expanded={unfolded}
            onClick={() => setUnfolded(!unfolded)}
            className="target inline-flex items-center sm:hidden"
          >
            <span className="inline-flex items-center gap-2 rounded-1 border border-line-2 bg-sunken px-2 py-1 text-small text-ink-2">
              <Glyph signal="waiting" size={12} />
              {t("queue.count", { n: all })}
              {unfolded ? (
                <ChevronDown aria-hidden="true" size={14} />
              ) : (
                <ChevronUp aria-hidden="true" size={14} />
              )}
            </span>
          </button>
          <ul
            ref={list}
            aria-label={t("queue")}
            className={`flex min-w-0 flex-wrap items-center gap-2 max-sm:max-h-[40dvh] max-sm:w-full max-sm:flex-col max-sm:items-stretch max-sm:overflow-y-auto sm:flex-1 ${unfolded ? "" : "max-sm:hidden"}`}
          >
            {rows.map((row, i) =>
              editing?.id === row.item.clientId ? (
                <Editor
                  key={row.item.clientId}
                  text={editing.text}
                  number={i + 1}
                  all={rows.length}
                  onWrite={(text) => setEditing({ ...editing, text })}
                  onSave={save}
                  onClose={close}
                  onMove={(step) => move(row.item.clientId, placeBy(rows, row.item.clientId, step))}
                />
              ) : (
                <Chip
                  key={row.item.clientId}
                  row={row}
                  number={i + 1}
                  all={rows.length}
                  me={me}
                  fixed={fixed}
                  onAct={(what) => act(row.item.clientId, what)}
                  over={over?.id === row.item.clientId ? over.side : ""}
                />
              ),
            )}
            {going.map((item) => (
              <li
                key={item.clientId}
                className="inline-flex min-h-7 max-w-full items-center gap-2 rounded-2 border border-line-2 bg-raised px-2 text-small opacity-70"
              >
                <span dir="auto" className="max-w-80 truncate">
                  {item.text}
                </span>
                <span className="flex-none text-ink-3">{t("queue.sending")}</span>
              </li>
            ))}
          </ul>
          {fixed || rows.length === 0 ? null : (
            <span id="queue-keys" className="sr-only">
              {t("queue.keys")}
            </span>
          )}
        </div>
      )}
    </div>
  );
}
