import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { filesQuery, skillsQuery } from "../../api/skills";
import { t } from "../../messages/t";
import type { Skill, SkillList, WorkFile } from "../../wire/types";
import { filesFor, peopleFor, skillsFor, type Token } from "./token.logic";

/** What can be chosen for a word of the text. */
export type Offer =
  | { readonly kind: "skill"; readonly skill: Skill }
  | { readonly kind: "file"; readonly file: WorkFile }
  | { readonly kind: "person"; readonly name: string };

export type Offers = {
  readonly offers: readonly Offer[];
  /** What is to be known beside them. */
  readonly note: string;
  /** What lies where skills do and is none, with the reason. */
  readonly skipped: readonly string[];
};

export type Asked = {
  readonly agent: { readonly id: string; readonly name: string } | null;
  /** Null for a chat that is still to be made. */
  readonly chat: string | null;
  readonly chosen: readonly string[];
  /** Who else is in the chat. */
  readonly people: readonly string[];
};

/** A list is drawn so long; more letters make it shorter. */
const mostShown = 50;
const pause = 120;

/** What is offered for the word in which the caret is; nothing where that asks for nothing. */
export function useOffers(token: Token | null, { agent, chat, chosen, people }: Asked): Offers {
  const forSkills = token !== null && token.sign !== "@" && agent !== null;
  const forFiles = token !== null && token.sign === "@" && chat !== null;
  const query = token?.query ?? "";
  const slow = useSlow(forFiles ? query : "");
  const skills = useQuery({ ...skillsQuery(agent?.id ?? "", chat), enabled: forSkills });
  const files = useQuery({ ...filesQuery(chat ?? "", slow), enabled: forFiles });
  if (forSkills) return skillOffers(skills, query, chosen, agent.name);
  if (token?.sign !== "@") return nothing;
  const named = peopleFor(people, query).map((name) => ({ kind: "person", name }) as const);
  const found = forFiles && !files.isError ? filesFor(files.data?.files ?? [], query) : [];
  const failed = forFiles && files.isError ? t("files.failed") : "";
  return {
    offers: [...named, ...found.map((file) => ({ kind: "file", file }) as const)].slice(0, mostShown),
    note: failed || (files.data?.more === true ? t("offer.more") : ""),
    skipped: [],
  };
}

const nothing: Offers = { offers: [], note: "", skipped: [] };

type Asking = { readonly data: SkillList | undefined; readonly isError: boolean };

function skillOffers(asked: Asking, query: string, chosen: readonly string[], agent: string): Offers {
  if (asked.isError) return { ...nothing, note: query === "" ? t("skills.failed") : "" };
  if (asked.data === undefined) return nothing;
  const { skills, skipped = [], more } = asked.data;
  const fit = skillsFor(skills, query, chosen);
  // Words that no skill has are the text's own: nothing is said about them.
  if (fit.length === 0 && query !== "") return nothing;
  return {
    offers: fit.slice(0, mostShown).map((skill) => ({ kind: "skill", skill })),
    note:
      skills.length === 0
        ? t("skills.none", { agent })
        : fit.length > mostShown || more === true
          ? t("offer.more")
          : "",
    skipped: query === "" ? skipped.map(({ folder, why }) => `${folder}: ${why}`) : [],
  };
}

/** A value once it has stood still for a moment. */
function useSlow(value: string): string {
  const [slow, setSlow] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(value), pause);
    return () => clearTimeout(timer);
  }, [value]);
  return slow;
}
