import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { skillsQuery } from "../../api/skills";
import { t } from "../../messages/t";
import type { Agent } from "../../wire/types";
import { fitting } from "./token.logic";

/** The chosen skills of a chat, as the composer is given them. */
export type SkillChoice = {
  readonly chosen: readonly string[];
  /** Changes them, from what they are by then. */
  readonly onChange: (change: (skills: readonly string[]) => readonly string[]) => void;
};

const none: readonly string[] = [];

/** Which of the chosen skills the agent has, and what becomes of the others when another one is picked. */
export function useSkillChoice(agent: Agent | null, chat: string | null, choice: SkillChoice | undefined) {
  const client = useQueryClient();
  const [note, setNote] = useState("");
  const chosen = choice?.chosen ?? none;
  const { data } = useQuery({
    ...skillsQuery(agent?.info.id ?? "", chat),
    enabled: agent !== null && chosen.length > 0,
  });
  const change = (to: (skills: readonly string[]) => readonly string[]) => {
    setNote("");
    choice?.onChange(to);
  };
  /** Another agent answers from here on: what it does not have goes, and that is said. */
  const moveTo = async (to: Agent) => {
    setNote("");
    if (chosen.length === 0) return;
    try {
      const list = await client.fetchQuery(skillsQuery(to.info.id, chat));
      choice?.onChange((has) => {
        const fit = fitting(has, list);
        const gone = has.filter((name) => !fit.includes(name));
        const names = gone.join(", ");
        if (names !== "") setNote(t("skills.cleared", { n: gone.length, agent: to.info.name, names }));
        return fit;
      });
    } catch {
      // Without the list all of them stay, and what the agent does not have is marked once that is known.
    }
  };
  return {
    chosen,
    fit: fitting(chosen, data),
    note,
    moveTo,
    add: (name: string) => change((now) => [...now.filter((other) => other !== name), name]),
    remove: (name: string) => change((now) => now.filter((other) => other !== name)),
    settle: () => setNote(""),
  };
}
