import { useNavigate } from "@tanstack/react-router";
import { Archive, ArchiveRestore, Copy, Mail, Pencil, Pin, PinOff, Trash2 } from "lucide-react";
import { useMemo } from "react";
import { changeChat, markUnread, restoreChat, trashChat } from "../../api/chats";
import { ApiError } from "../../api/http";
import { fork } from "../../api/outline";
import { t } from "../../messages/t";
import type { Act } from "../../ui/ActionMenu";
import { say, sayFailed } from "../../ui/toast";
import type { ChatSummary } from "../../wire/types";
import { titleOf } from "./chats.logic";
import { useWorkspace } from "./context";

type Hands = {
  readonly pin: (chat: ChatSummary) => Promise<void>;
  readonly archive: (chats: readonly ChatSummary[], archived: boolean) => Promise<void>;
  readonly unread: (chats: readonly ChatSummary[]) => Promise<void>;
  readonly rename: (chat: ChatSummary, title: string) => Promise<void>;
  readonly duplicate: (chat: ChatSummary) => Promise<void>;
  /** Puts chats into the trash, and offers the way back; false when that did not work. */
  readonly remove: (chats: readonly ChatSummary[]) => Promise<boolean>;
};

function failed(error: unknown): void {
  const message = error instanceof ApiError ? error.fault.message : "";
  sayFailed(message === "" ? t("act.failed") : message);
}

/** What can be done with chats. What did not work is said; nothing is drawn before it is so. */
export function useChatHands(): Hands {
  const workspace = useWorkspace();
  const navigate = useNavigate();
  return useMemo((): Hands => {
    const tried = async (work: () => Promise<void>): Promise<boolean> => {
      try {
        await work();
        return true;
      } catch (error) {
        failed(error);
        return false;
      }
    };
    const attempt = async (work: () => Promise<void>): Promise<void> => {
      await tried(work);
    };
    const archive = (chats: readonly ChatSummary[], archived: boolean): Promise<void> =>
      attempt(async () => {
        const changed = await Promise.all(chats.map((chat) => changeChat(chat.id, { archived })));
        changed.forEach((chat) => workspace.put(chat));
        if (!archived) return;
        say(t("chat.archived", { n: chats.length }), {
          name: t("undo"),
          onAct: () => void archive(changed, false),
        });
      });
    return {
      archive,
      pin: (chat) =>
        attempt(async () => workspace.put(await changeChat(chat.id, { pinned: chat.pinned !== true }))),
      rename: (chat, title) => attempt(async () => workspace.put(await changeChat(chat.id, { title }))),
      unread: (chats) =>
        attempt(async () => {
          await Promise.all(chats.map((chat) => markUnread(chat.id)));
        }),
      duplicate: (chat) =>
        attempt(async () => {
          const made = await fork(chat.id, {});
          workspace.put(made);
          await navigate({ to: "/chats/$id", params: { id: made.id } });
        }),
      remove: (chats) =>
        tried(async () => {
          await Promise.all(chats.map((chat) => trashChat(chat.id)));
          chats.forEach((chat) => workspace.drop(chat.id));
          const [first] = chats;
          const title = first === undefined ? "" : titleOf(first);
          say(chats.length === 1 ? t("chat.deleted", { title }) : t("chats.deleted", { n: chats.length }), {
            name: t("undo"),
            onAct: () =>
              void attempt(async () => {
                const back = await Promise.all(chats.map((chat) => restoreChat(chat.id)));
                back.forEach((chat) => workspace.put(chat));
              }),
          });
        }),
    };
  }, [workspace, navigate]);
}

/** The menu of one chat. `onRename` begins to write its name, where it stands. */
export function chatActs(
  chat: ChatSummary,
  hands: Hands,
  here: { readonly write: boolean; readonly onRename: () => void; readonly onRemoved?: () => void },
): readonly (readonly Act[])[] {
  const pin: Act = {
    key: "pin",
    name: t(chat.pinned === true ? "chat.unpin" : "chat.pin"),
    icon: chat.pinned === true ? PinOff : Pin,
    onAct: () => void hands.pin(chat),
  };
  const unread: Act = {
    key: "unread",
    name: t("chat.unread"),
    icon: Mail,
    ...(chat.unread ? { unable: t("chat.unread.is") } : {}),
    onAct: () => void hands.unread([chat]),
  };
  if (!here.write) return [[pin, unread]];
  return [
    [
      { key: "rename", name: t("chat.rename"), icon: Pencil, hint: "F2", onAct: here.onRename },
      pin,
      unread,
      { key: "duplicate", name: t("chat.duplicate"), icon: Copy, onAct: () => void hands.duplicate(chat) },
    ],
    [
      {
        key: "archive",
        name: t(chat.archived === true ? "chat.unarchive" : "chat.archive"),
        icon: chat.archived === true ? ArchiveRestore : Archive,
        onAct: () => void hands.archive([chat], chat.archived !== true),
      },
      {
        key: "delete",
        name: t("chat.delete"),
        icon: Trash2,
        hint: t("key.delete"),
        stop: true,
        onAct: () => {
          void hands.remove([chat]).then((done) => {
            if (done) here.onRemoved?.();
          });
        },
      },
    ],
  ];
}
