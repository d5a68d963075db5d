import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import { dropRewound, storageQuery } from "../../api/account";
import { destroyChat, trashQuery } from "../../api/chats";
import { ApiError } from "../../api/http";
import { bytes } from "../../messages/format";
import { t } from "../../messages/t";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import type { ChatStorage } from "../../wire/types";
import { fetched } from "../../ui/fetched";

const Confirm = fetched(() => import("../../ui/Confirm"));
const some = 50;

/** What chats take on the disk, the largest first, and what can be freed of it. */
export function StoragePart() {
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(storageQuery);
  const [most, setMost] = useState(some);
  const [asks, setAsks] = useState<ChatStorage | null>(null);
  const free = useMutation({
    mutationFn: (chat: ChatStorage) =>
      chat.trashed === true ? destroyChat(chat.chat) : dropRewound(chat.chat),
    onSettled: async () => {
      await client.invalidateQueries({ queryKey: storageQuery.queryKey });
      await client.invalidateQueries({ queryKey: trashQuery.queryKey });
    },
  });
  if (data === undefined) {
    return error === null ? (
      <p role="status" className="text-ui text-ink-3">
        {t("storage.measuring")}
      </p>
    ) : (
      <p role="alert" className="flex flex-wrap items-center gap-3 text-ui text-stop">
        {error.message === "" ? t("settings.failed.part") : error.message}
        <Button onClick={() => void refetch()}>{t("retry")}</Button>
      </p>
    );
  }
  return (
    <section aria-label={t("settings.storage")} className="flex flex-col gap-3">
      <p className="flex flex-wrap gap-x-4 text-ui text-ink-2">
        <span>{t("storage.total", { size: bytes(data.total) })}</span>
        <span>{t("storage.freeable", { size: bytes(data.freeable) })}</span>
        <span>{t("storage.index", { size: bytes(data.index) })}</span>
        {data.free === undefined ? null : <span>{t("storage.free", { size: bytes(data.free) })}</span>}
      </p>
      {data.chats.length === 0 ? <p className="text-ui text-ink-3">{t("chats.none")}</p> : null}
      <ul
        aria-label={t("storage.chats")}
        className="divide-y divide-line overflow-hidden rounded-3 border border-line-2 bg-raised"
      >
        {data.chats.slice(0, most).map((chat) => (
          <Row key={chat.chat} chat={chat} busy={free.isPending} onFree={() => setAsks(chat)} />
        ))}
      </ul>
      {data.chats.length > most ? (
        <Button look="ghost" className="self-start" onClick={() => setMost(most + some)}>
          {t("permissions.more", { n: data.chats.length - most })}
        </Button>
      ) : null}
      {free.error === null ? null : (
        <p role="alert" className="text-small text-stop">
          {free.error instanceof ApiError && free.error.fault.message !== ""
            ? [free.error.fault.message, free.error.fault.hint].filter(Boolean).join(" ")
            : t("settings.refused")}
        </p>
      )}
      {asks === null ? null : (
        <Suspense fallback={null}>
          <Confirm
            open
            title={t(asks.trashed === true ? "storage.delete.title" : "storage.drop.title")}
            body={t(asks.trashed === true ? "storage.delete.body" : "storage.drop.body", {
              title: asks.title === "" ? t("chat.untitled") : asks.title,
            })}
            act={t(asks.trashed === true ? "storage.delete" : "storage.drop")}
            onAct={() => {
              free.mutate(asks);
              setAsks(null);
            }}
            onClose={() => setAsks(null)}
          />
        </Suspense>
      )}
    </section>
  );
}

function Row({ chat, busy, onFree }: { chat: ChatStorage; busy: boolean; onFree: () => void }) {
  const title = chat.title === "" ? t("chat.untitled") : chat.title;
  const trashed = chat.trashed === true;
  const frees = trashed ? chat.freed : chat.rewound;
  const parts = (["log", "blobs", "work", "rewound", "damaged"] as const).filter((part) => chat[part] > 0);
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2 text-ui">
      <span className="min-w-48 flex-1">
        <span className="flex items-center gap-2">
          {trashed ? (
            <bdi className="truncate">{title}</bdi>
          ) : (
            <Link
              to="/chats/$id"
              params={{ id: chat.chat }}
              dir="auto"
              className="inline-flex min-w-0 items-center text-accent underline-offset-2 thumb:min-h-11 thumb:min-w-11 hover:underline"
            >
              <span className="truncate">{title}</span>
            </Link>
          )}
          {trashed ? <Badge>{t("storage.trashed")}</Badge> : null}
        </span>
        <span className="block text-small text-ink-3">
          {parts.map((part) => `${t(`storage.${part}`)} ${bytes(chat[part])}`).join(" · ")}
        </span>
      </span>
      <span className="font-mono text-count">
        {bytes(chat.total)}
        {chat.more === true ? "+" : ""}
      </span>
      {frees > 0 ? (
        <Button look={trashed ? "stop" : "plain"} disabled={busy} onClick={onFree}>
          {t(trashed ? "storage.delete.n" : "storage.drop.n", { size: bytes(frees) })}
        </Button>
      ) : null}
    </li>
  );
}
