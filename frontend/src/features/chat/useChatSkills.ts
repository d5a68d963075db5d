import { useRef, useState } from "react";
import { changeChat } from "../../api/chats";
import { t } from "../../messages/t";
import { sayFailed } from "../../ui/toast";
import { useWorkspace } from "../chats";
import type { SkillChoice } from "../composer";

type Skills = readonly string[];

/**
 * The skills that are kept with a chat. A change shows at once and is kept by the server for every
 * browser, one after the other; where that does not work, it is said, and what is kept shows again.
 */
export function useChatSkills(id: string, kept: Skills): SkillChoice {
  const workspace = useWorkspace();
  const [shown, setShown] = useState<Skills | null>(null);
  const wanted = useRef<Skills | null>(null);
  const line = useRef(Promise.resolve());
  const save = async (skills: Skills, before: Promise<void>) => {
    await before;
    if (wanted.current !== skills) return; // a later choice is on its way
    try {
      workspace.put(await changeChat(id, { skills: [...skills] }));
    } catch {
      sayFailed(t("skills.notsaved"));
    }
    if (wanted.current !== skills) return;
    wanted.current = null;
    setShown(null);
  };
  return {
    chosen: shown ?? kept,
    onChange: (change) => {
      const now = wanted.current ?? workspace.store.getState().chats.get(id)?.skills ?? kept;
      const next = change(now);
      if (next.join("\n") === now.join("\n")) return;
      wanted.current = next;
      setShown(next);
      line.current = save(next, line.current);
    },
  };
}
