import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Bug, FilePenLine, FileTerminal, type LucideIcon, MessageSquare, Network, Timer } from "lucide-react";
import { useEffect, useRef } from "react";
import { createChat } from "../../api/calls";
import { ApiError } from "../../api/http";
import { agentsQuery, meQuery } from "../../api/queries";
import { newClientId, sessionOutbox } from "../../live/outbox";
import { t } from "../../messages/t";
import { Glyph } from "../../ui/Glyph";
import { useNow } from "../../ui/useNow";
import type { Selection } from "../../wire/types";
import { RecentChats, useChats, useWorkspace, useWorkspaceState } from "../chats";
import {
  Composer,
  giveBack,
  refusalWords,
  useChoices,
  useDrafts,
  useUploads,
  type Written,
} from "../composer";
import { AgentSection } from "./AgentSection";
import { demoOnly, greeting, type Suggestion, suggestions, summaryOf } from "./home.logic";

const icons: Readonly<Record<Suggestion["kind"], LucideIcon>> = {
  talk: MessageSquare,
  edit: FilePenLine,
  slow: Timer,
  bug: Bug,
  explain: Network,
  script: FileTerminal,
};

const draftKey = "new";
const nothing: Selection = {};
const none: readonly string[] = [];

/** The start page: a new chat, what was going on, and which agents can answer. */
export function HomePage() {
  const me = useQuery(meQuery);
  const { data } = useQuery(agentsQuery);
  const chats = useChats();
  const loaded = useWorkspaceState((s) => s.loaded);
  const workspace = useWorkspace();
  const navigate = useNavigate();
  const field = useRef<HTMLTextAreaElement>(null);
  const agents = data?.agents ?? [];
  const demo = demoOnly(agents);
  useEffect(() => {
    document.title = t("product");
  }, []);

  const skills = useChoices((s) => s.skills[draftKey]) ?? none;
  const chooseSkills = useChoices((s) => s.chooseSkills);

  const start = useMutation({
    mutationFn: (prompt: Pick<Written, "text" | "selection" | "skills">) =>
      createChat({ selected: prompt.selection, skills: [...prompt.skills] }),
    onSuccess: (chat, { text, selection, skills: named }) => {
      // The chat's page sends what waits there.
      sessionOutbox(me.data?.person.id ?? "", chat.id).save([
        { clientId: newClientId(), text, selection, skills: named, at: Date.now(), command: "" },
      ]);
      chooseSkills(draftKey, none);
      workspace.put(chat);
      void navigate({ to: "/chats/$id", params: { id: chat.id } });
    },
    onError: (_error, { text }) => giveBack(draftKey, text),
  });
  // Files belong to a chat: one is made for them, and what was written goes along.
  const begin = useMutation({
    mutationFn: (_files: readonly File[]) => createChat({ skills: [...skills] }),
    onSuccess: (chat, files) => {
      moveDraft(chat.id);
      chooseSkills(draftKey, none);
      const chosen = useChoices.getState().chosen[draftKey];
      if (chosen !== undefined) useChoices.getState().choose(chat.id, chosen);
      useUploads.getState().add(chat.id, files);
      workspace.put(chat);
      // What is written until the other page is there goes along, too.
      void navigate({ to: "/chats/$id", params: { id: chat.id } }).then(() => moveDraft(chat.id));
    },
  });
  const error = start.error ?? begin.error;

  return (
    <main className="h-full overflow-y-auto">
      <div className="mx-auto flex w-full max-w-213 flex-col gap-6 px-4 pt-4 pb-8 lg:pt-14">
        <div>
          <h1 dir="auto" className="text-display font-semibold wrap-anywhere">
            {greeting(me.data?.person.name ?? "", new Date(useNow(60_000)).getHours())}
          </h1>
          <p className="min-h-5.5 text-heading text-ink-2">{loaded ? summaryOf(chats) : null}</p>
        </div>
        {demo ? <DemoNote /> : null}
        <div>
          <Composer
            draftKey={draftKey}
            agents={agents}
            selected={nothing}
            field={field}
            placeholder={t("placeholder.new")}
            sendLabel={t("start")}
            busy={start.isPending || begin.isPending}
            autoFocus
            onSend={(written) => start.mutate(written)}
            skills={{
              chosen: skills,
              onChange: (change) =>
                chooseSkills(draftKey, change(useChoices.getState().skills[draftKey] ?? none)),
            }}
            onFiles={(files) => begin.mutate(files)}
            note={error === null ? null : <StartError error={error} />}
          />
          <ul className="mt-2 grid gap-2 sm:grid-cols-3">
            {suggestions(demo).map((s) => {
              const Icon = icons[s.kind];
              return (
                <li key={s.title}>
                  <button
                    type="button"
                    className="target flex h-full w-full items-start gap-3 rounded-3 border border-line-2 px-3 py-2 text-start hover:bg-hover"
                    onClick={() => {
                      useDrafts.getState().write(draftKey, s.text);
                      field.current?.focus();
                    }}
                  >
                    <span className="flex h-5 items-center text-ink-3">
                      <Icon aria-hidden="true" size={16} strokeWidth={1.75} />
                    </span>
                    <span className="min-w-0">
                      <span className="block text-ui font-medium">{s.title}</span>
                      <span className="block text-small text-ink-2">{s.note}</span>
                    </span>
                  </button>
                </li>
              );
            })}
          </ul>
        </div>
        <RecentChats agentName={(id) => agents.find((a) => a.info.id === id)?.info.name ?? ""} />
        <AgentSection />
        <p className="text-small text-ink-3">{t("rights")}</p>
      </div>
    </main>
  );
}

/** What was written here goes on in a chat. */
function moveDraft(chat: string): void {
  const { drafts, write } = useDrafts.getState();
  const text = drafts[draftKey]?.text ?? "";
  if (text === "") return;
  write(chat, (drafts[chat]?.text ?? "") + text);
  write(draftKey, "");
}

function StartError({ error }: { error: Error }) {
  return (
    <span role="alert" className="text-stop">
      {error instanceof ApiError ? refusalWords(error.fault) : t("refused.other")}
    </span>
  );
}

function DemoNote() {
  return (
    <p className="flex items-start gap-2 rounded-3 border border-accent-line bg-accent-bg px-3 py-2 text-ui">
      <span className="flex h-5 items-center">
        <Glyph signal="rest" size={12} name={t("demo")} />
      </span>
      <span>
        <strong className="font-semibold">{t("demo.only")}</strong> {t("demo.only.body")}
      </span>
    </p>
  );
}
