import { X } from "lucide-react";
import type { ReactNode } from "react";
import { t } from "../../messages/t";
import type { AgentList, ChatSummary } from "../../wire/types";
import { titleOf } from "../chats";
import { ending } from "../../text/characters";
import { chatChoices, folderChoices, type Filters as Chosen } from "./search.logic";

const field =
  "min-h-[max(2.25rem,var(--target))] w-full min-w-0 rounded-2 sm:max-w-52 border border-line-3 bg-raised px-2 text-field";

type Props = {
  chosen: Chosen;
  agents: AgentList["agents"];
  chats: readonly ChatSummary[];
  onChange: (part: Readonly<Record<string, string>>) => void;
};

/** In which chat, of which agent, in which directory and of which days is searched. */
export function Filters({ chosen, agents, chats, onChange }: Props) {
  const { chat = "", agent = "", dir = "", from = "", to = "" } = chosen;
  const folders = folderChoices(chats, dir);
  return (
    <>
      <Filter label={t("search.chat")}>
        <select value={chat} onChange={(event) => onChange({ chat: event.target.value })} className={field}>
          <option value="">{t("search.chat.any")}</option>
          {chatChoices(chats, chat).map((one) => (
            <option key={one.id} value={one.id}>
              {titleOf(one)}
            </option>
          ))}
          {chat === "" || chats.some((one) => one.id === chat) ? null : (
            <option value={chat}>{t("search.chat.gone")}</option>
          )}
        </select>
      </Filter>
      <Filter label={t("search.agent")}>
        <select value={agent} onChange={(event) => onChange({ agent: event.target.value })} className={field}>
          <option value="">{t("search.agent.any")}</option>
          {agents.map(({ info }) => (
            <option key={info.id} value={info.id}>
              {info.name}
            </option>
          ))}
        </select>
      </Filter>
      {folders.length === 0 ? null : (
        <Filter label={t("search.dir")}>
          <select value={dir} onChange={(event) => onChange({ dir: event.target.value })} className={field}>
            <option value="">{t("search.dir.any")}</option>
            {folders.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </Filter>
      )}
      {(["from", "to"] as const).map((end) => (
        <Filter key={end} label={t(`search.${end}`)}>
          <input
            type="date"
            value={end === "from" ? from : to}
            onChange={(event) => onChange({ [end]: event.target.value })}
            className={field}
          />
        </Filter>
      ))}
    </>
  );
}

function Filter({ label, children }: { label: string; children: ReactNode }) {
  return (
    <label className="flex min-w-0 flex-col gap-0.5 text-small text-ink-2">
      {label}
      {children}
    </label>
  );
}

/** So much of the end of a chip stays where there is too little room: it tells folders apart. */
const kept = 20;

/** The filters that hold, each with the way to take it off. */
export function Chips({ chosen, agents, chats, onChange }: Props) {
  const { chat, agent, dir, from, to } = chosen;
  const found = chats.find((one) => one.id === chat);
  const chips = [
    { name: "chat", value: chat, words: found === undefined ? t("search.chat.gone") : titleOf(found) },
    {
      name: "agent",
      value: agent,
      words: agents.find(({ info }) => info.id === agent)?.info.name ?? agent ?? "",
    },
    { name: "dir", value: dir, words: t("search.chip.dir", { dir: dir ?? "" }) },
    { name: "from", value: from, words: t("search.chip.from", { day: from ?? "" }) },
    { name: "to", value: to, words: t("search.chip.to", { day: to ?? "" }) },
  ].filter(({ value }) => value !== undefined);
  if (chips.length === 0) return null;
  return (
    <ul aria-label={t("search.chips")} className="flex flex-wrap gap-2 pb-3">
      {chips.map(({ name, words }) => (
        <li key={name}>
          <button
            type="button"
            aria-label={t("search.chip.off", { what: words })}
            onClick={() => onChange({ [name]: "" })}
            className="inline-flex min-h-6 max-w-80 items-center gap-1 rounded-1 border border-accent-line bg-accent-bg px-2 text-small text-accent pointer-coarse:min-h-11"
          >
            <Ends words={words} />
            <X aria-hidden="true" size={12} />
          </button>
        </li>
      ))}
      {chips.length > 1 ? (
        <li>
          <button
            type="button"
            onClick={() => onChange({ chat: "", agent: "", dir: "", from: "", to: "" })}
            className="min-h-6 px-1 text-small text-ink-2 underline-offset-2 hover:underline pointer-coarse:min-h-11"
          >
            {t("search.chips.off")}
          </button>
        </li>
      ) : null}
    </ul>
  );
}

/** Words on one line, which lose their middle where there is no room for all of them. */
function Ends({ words }: { words: string }) {
  const tail = ending(words, kept);
  return (
    <bdi className="flex min-w-0 whitespace-pre">
      <span className="min-w-0 overflow-hidden text-ellipsis">
        {words.slice(0, words.length - tail.length)}
      </span>
      <span className="flex-none">{tail}</span>
    </bdi>
  );
}
