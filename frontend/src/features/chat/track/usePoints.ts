import { useNavigate } from "@tanstack/react-router";
import { useCallback, useState } from "react";
import { ApiError } from "../../../api/http";
import { fork, type ForkAt, restore, rewind } from "../../../api/outline";
import { t } from "../../../messages/t";
import { copyText } from "../../../ui/copy";
import { say, sayFailed } from "../../../ui/toast";
import type { Cut } from "../../../wire/types";
import { giveBack } from "../../composer";
import { useChat } from "../context";

/** Why something was not done, and that nothing has changed. */
function faultWords(error: unknown): string {
  const fault = error instanceof ApiError ? error.fault : null;
  if (fault === null || fault.message === "") return t("act.failed");
  return [fault.message, fault.hint ?? ""].join(" ").trim();
}

type Points = {
  /** Something is on its way to the server. */
  readonly busy: boolean;
  /** Takes out a prompt and what follows; null when that was done, else why it was not. */
  readonly rewindTo: (seq: number) => Promise<string | null>;
  /** Opens a new chat with what lies before a point; a text becomes its draft. */
  readonly forkAt: (at: ForkAt, draft?: string) => Promise<void>;
  readonly bringBack: (cut: Cut) => Promise<void>;
  readonly copyLink: (seq: number) => Promise<void>;
};

/** What can be done with a point of the chat. */
export function usePoints(): Points {
  const { id } = useChat();
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);

  const forkAt = useCallback(
    async (at: ForkAt, draft = "") => {
      setBusy(true);
      try {
        const made = await fork(id, at);
        if (draft !== "") giveBack(made.id, draft);
        await navigate({ to: "/chats/$id", params: { id: made.id } });
        document.getElementById("composer")?.focus();
      } catch (error) {
        sayFailed(faultWords(error));
      } finally {
        setBusy(false);
      }
    },
    [id, navigate],
  );

  const bringBack = useCallback(
    async (cut: Cut) => {
      if (!cut.restorable) {
        await forkAt({ cut: cut.epoch });
        return;
      }
      setBusy(true);
      try {
        await restore(id, cut.epoch);
        say(t("cut.back.done", { n: cut.prompts }), undefined, `cut ${id}`);
      } catch (error) {
        sayFailed(faultWords(error));
      } finally {
        setBusy(false);
      }
    },
    [id, forkAt],
  );

  const rewindTo = useCallback(
    async (seq: number) => {
      setBusy(true);
      try {
        const cut = await rewind(id, seq);
        const back = { name: t("cut.back", { n: cut.prompts }), onAct: () => void bringBack(cut) };
        say(t("rewind.done", { n: cut.prompts }), back, `cut ${id}`);
        return null;
      } catch (error) {
        return faultWords(error);
      } finally {
        setBusy(false);
      }
    },
    [id, bringBack],
  );

  const copyLink = useCallback(
    async (seq: number) => {
      const done = await copyText(new URL(`/chats/${id}#e${seq}`, location.href).href);
      if (done) say(t("link.copied"));
      else sayFailed(t("copy.failed"));
    },
    [id],
  );
  return { busy, rewindTo, forkAt, bringBack, copyLink };
}
