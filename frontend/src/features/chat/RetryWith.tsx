import { useQuery } from "@tanstack/react-query";
import { agentsQuery } from "../../api/queries";
import { t } from "../../messages/t";
import type { Prompt } from "../../live/rows";
import type { Selection } from "../../wire/types";
import { ModelButton } from "../composer";
import { useChat, useChatState } from "./context";

/** The same prompt again, answered by another model. What an agent does not have is left out. */
export function retryWith(before: Selection, picked: Selection): Selection {
  if (picked.agent === before.agent) return { ...before, ...picked };
  return { ...(before.mode === undefined ? {} : { mode: before.mode }), ...picked };
}

/** What goes with a prompt that is sent again. Another agent may not have its skills. */
export function alongWith(prompt: Prompt, picked: Selection = prompt.selection) {
  const { attachments, skills = [] } = prompt;
  return picked.agent === prompt.selection.agent ? { attachments, skills } : { attachments };
}

/** Sends the last prompt again, to another model. */
export function RetryWith({ label = t("model.other") }: { label?: string }) {
  const { store } = useChat();
  const { data } = useQuery(agentsQuery);
  const prompt = useChatState((s) => s.thread.at(-1)?.prompt);
  const agents = data?.agents ?? [];
  const choices = agents.reduce((sum, a) => sum + Math.max(1, a.info.models.length), 0);
  if (prompt === undefined || choices < 2) return null;
  return (
    <ModelButton
      label={label}
      agents={agents}
      onPick={(picked) =>
        store.send(prompt.text, retryWith(prompt.selection, picked), alongWith(prompt, picked))
      }
    />
  );
}
