import { useQueries } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { outlineQuery } from "../../../api/outline";
import { dateAndTime } from "../../../messages/format";
import { t } from "../../../messages/t";
import { Button } from "../../../ui/Button";
import { useNow } from "../../../ui/useNow";
import type { ChatSummary } from "../../../wire/types";
import { titleOf, useWorkspaceState } from "../../chats";
import { useChat } from "../context";
import { useOutline, usePoints } from "../track";
import { useMayWrite } from "../useMayWrite";
import { familyOf, mapOf, type Row } from "./family.logic";
import { ForkRow } from "./ForkRow";
import { Lines } from "./Lines";

type Props = {
  chat: ChatSummary;
  /** Where the panel stands beside the thread. */
  beside: string;
  onClose: () => void;
};

/** Every prompt of the chat and of those that were forked from it, by time, on a map. */
export function ForksPanel({ chat, beside, onClose }: Props) {
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
  const prompts = map.rows.filter((row) => row.kind !== "empty").length;
  const go = (row: Row) => {
    if (!matchMedia(beside).matches) onClose();
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
    <>
      <div className="flex items-baseline gap-2 pb-3">
        <h2 className="flex-1 text-heading font-semibold">{t("forks")}</h2>
        <span className="font-mono text-count text-ink-3">
          {t("forks.count", { n: family.length })} · {t("prompts.count", { n: prompts })}
        </span>
      </div>
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
              at: dateAndTime(chat.created, now),
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
    </>
  );
}
