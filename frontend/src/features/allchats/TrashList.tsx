import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { destroyChat, restoreChat, trashQuery } from "../../api/chats";
import { ApiError } from "../../api/http";
import { meQuery } from "../../api/queries";
import { shortDate } from "../../messages/format";
import { t } from "../../messages/t";
import { Button } from "../../ui/Button";
import { sayFailed } from "../../ui/toast";
import { useNow } from "../../ui/useNow";
import type { ChatSummary } from "../../wire/types";
import { titleOf, useWorkspace } from "../chats";
import { fetched } from "../../ui/fetched";

const Confirm = fetched(() => import("../../ui/Confirm"));

/** The chats that were deleted, as long as they are kept. */
export function TrashList() {
  const client = useQueryClient();
  const workspace = useWorkspace();
  const write = useQuery(meQuery).data?.role !== "viewer";
  const { data, isError, isLoading, refetch } = useQuery(trashQuery);
  const [asking, setAsking] = useState<ChatSummary | null>(null);
  const now = useNow(60_000);
  const settled = {
    onError: (error: unknown) =>
      sayFailed(
        error instanceof ApiError && error.fault.message !== "" ? error.fault.message : t("act.failed"),
      ),
    onSettled: () => client.invalidateQueries(trashQuery),
  };
  const restore = useMutation({
    mutationFn: restoreChat,
    onSuccess: (chat) => workspace.put(chat),
    ...settled,
  });
  const destroy = useMutation({ mutationFn: destroyChat, ...settled });
  if (isError) {
    return (
      <p role="alert" className="flex items-center gap-3 py-4 text-ui text-stop">
        {t("trash.failed")}
        <Button onClick={() => void refetch()}>{t("retry")}</Button>
      </p>
    );
  }
  if (isLoading) return <p className="py-4 text-ui text-ink-3">{t("loading")}</p>;
  const chats = data?.chats ?? [];
  if (chats.length === 0) {
    return (
      <div className="py-8 text-center">
        <p className="text-ui font-medium">{t("trash.none")}</p>
        <p className="mt-1 text-small text-ink-3">{t("trash.body")}</p>
      </div>
    );
  }
  return (
    <>
      <p className="pb-2 text-small text-ink-3">{t("trash.body")}</p>
      <ul className="divide-y divide-line overflow-hidden rounded-3 border border-line-2 bg-raised">
        {chats.map((chat) => (
          <li key={chat.id} className="flex flex-wrap items-center gap-3 px-3 py-1.5 text-ui">
            <span dir="auto" className="min-w-40 flex-1 truncate">
              {titleOf(chat)}
            </span>
            <span className="text-small text-ink-3">
              {t("trash.at", { at: shortDate(chat.trashed ?? chat.active, now) })}
            </span>
            {write ? (
              <>
                <Button disabled={restore.isPending} onClick={() => restore.mutate(chat.id)}>
                  {t("trash.restore")}
                </Button>
                <Button look="stop" onClick={() => setAsking(chat)}>
                  {t("trash.destroy")}
                </Button>
              </>
            ) : null}
          </li>
        ))}
      </ul>
      {asking === null ? null : (
        <Suspense fallback={null}>
          <Confirm
            open
            title={t("trash.destroy.title", { title: titleOf(asking) })}
            body={t("trash.destroy.body")}
            act={t("trash.destroy")}
            onAct={() => {
              destroy.mutate(asking.id);
              setAsking(null);
            }}
            onClose={() => setAsking(null)}
          />
        </Suspense>
      )}
    </>
  );
}
