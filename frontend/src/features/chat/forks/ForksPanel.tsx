import { useQueries } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { GitFork, X } from "lucide-react";
import { useEffect, useMemo, useRef } from "react";
import { outlineQuery } from "../../../api/outline";
import { clockTime, shortDate } from "../../../messages/format";
import { t } from "../../../messages/t";
import { Button, IconButton } from "../../../ui/Button";
import { layerOpen } from "../../../ui/keys";
import { useNow } from "../../../ui/useNow";
import type { ChatSummary } from "../../../wire/types";
import { titleOf, useWorkspaceState } from "../../chats";
import { useChat } from "../context";
import { useOutline, usePoints } from "../track";
import { useMayWrite } from "../useMayWrite";
import { familyOf, mapOf, type Row } from "./family.logic";
import { ForkRow } from "./ForkRow";
import { Lines } from "./Lines";

type Props = { chat: ChatSummary; onClose: () => void };

/** Every prompt of the chat and of those that were forked from it, by time, on a map. */
export default function ForksPanel({ chat, onClose }: Props) {
  const { id, store } = useChat();
  const navigate = useNavigate();
  const write = useMayWrite();
  const { outline } = useOutline();
  const { busy, bringBack } = usePoints();
  const chats = useWorkspaceState((s) => s.chats);
  const family = useMemo(() => familyOf(chats, id), [chats, id]);
  const others = useQueries({
    queries: family.map((member) => ({
      ...outlineQuery(member.id, member.active),
      enabled: member.id !== id,
    })),
  });
  const map = mapOf(
    family.map((member, i) => ({
      chat: member,
      outline: member.id === id ? outline : others[i]?.data,
    })),
    id,
  );
  const loading = outline === undefined || others.some((query) => query.isLoading);
  const failed = others.some((query) => query.isError);
  const prompts = map.rows.filter((row) => row.kind === "prompt").length;
  const top = useRef<HTMLHeadingElement>(null);
  useEffect(() => top.current?.focus(), []);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      // Beside the thread it stays; over it, Escape gives the thread back.
      if (event.key !== "Escape" || event.defaultPrevented || layerOpen()) return;
      if (matchMedia("(min-width: 1280px)").matches) return;
      event.preventDefault();
      event.stopPropagation();
      onClose();
    };
    document.addEventListener("keydown", onKey, true);
    return () => document.removeEventListener("keydown", onKey, true);
  }, [onClose]);

  const go = (row: Row) => {
    if (!matchMedia("(min-width: 1280px)").matches) onClose();
    if (row.chat.id === id) store.visit(row.seq);
    else
      void navigate({
        to: "/chats/$id",
        params: { id: row.chat.id },
        search: { panel: "forks" },
        ...(row.kind === "prompt" ? { hash: `e${row.seq}` } : {}),
      });
  };
  const now = useNow(60_000);
  const { forkOf } = chat;
  const parent = forkOf === undefined ? undefined : chats.get(forkOf.chat);
  return (
    <aside aria-label={t("forks")} className="panel flex flex-col border-s border-line bg-canvas">
      <div className="flex min-h-12 items-center gap-2 border-b border-line px-3">
        <GitFork aria-hidden="true" size={14} className="text-ink-3" />
        <h2 ref={top} tabIndex={-1} className="flex-1 text-ui font-semibold outline-none">
          {t("forks")}
        </h2>
        <span className="font-mono text-count text-ink-3">
          {t("forks.count", { n: family.length })} · {t("prompts.count", { n: prompts })}
        </span>
        <IconButton label={t("close")} onClick={onClose}>
          <X aria-hidden="true" size={16} />
        </IconButton>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto px-4 py-3">
        {map.rows.length === 0 ? (
          <p className="py-4 text-ui text-ink-3">{t(loading ? "loading" : "forks.none")}</p>
        ) : (
          <div className="flex gap-3">
            <Lines map={map} />
            <ol className="min-w-0 flex-1">
              {map.rows.map((row) => (
                <ForkRow
                  key={row.key}
                  row={row}
                  write={write}
                  busy={busy}
                  onGo={() => go(row)}
                  onBack={
                    row.cut !== undefined && row.chat.id === id
                      ? () => void (row.cut === undefined ? undefined : bringBack(row.cut))
                      : undefined
                  }
                />
              ))}
            </ol>
          </div>
        )}
        {failed ? (
          <p role="alert" className="pt-3 text-small text-stop">
            {t("forks.failed")}
          </p>
        ) : null}
        {forkOf === undefined ? null : (
          <section aria-labelledby="this-fork" className="mt-4 border-t border-line pt-3">
            <h3 id="this-fork" className="text-ui font-semibold">
              {t("forks.this")}
            </h3>
            <p className="mt-1 text-small text-ink-2">
              {t("forks.left", {
                title: parent === undefined ? (forkOf.title ?? t("chat.untitled")) : titleOf(parent),
                at: `${shortDate(chat.created, now)} ${clockTime(chat.created)}`,
              })}
            </p>
            {parent === undefined ? null : (
              <Button
                className="mt-3"
                onClick={() => void navigate({ to: "/chats/$id", params: { id: parent.id } })}
              >
                {t("forks.open", { title: titleOf(parent) })}
              </Button>
            )}
          </section>
        )}
      </div>
    </aside>
  );
}
