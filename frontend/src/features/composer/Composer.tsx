import { clsx } from "clsx";
import { type ReactNode, type RefObject, Suspense, useRef, useState } from "react";
import { emptyDraft } from "../../live/draft";
import { t } from "../../messages/t";
import type { Agent, Attachment, Mode, Selection } from "../../wire/types";
import { Buttons, type Running } from "./Buttons";
import { useChoices } from "./choice.store";
import { settle, unsendable } from "./composer.logic";
import { Controls } from "./Controls";
import { useDrafts } from "./draft.store";
import { AttachButton } from "./AttachButton";
import { MenuStatus } from "./MenuStatus";
import { ModePicker, ModeSegments } from "./Modes";
import { PromptField } from "./PromptField";
import { SkillChips } from "./SkillChips";
import { useUploads } from "./upload.store";
import { useDrop } from "./useDrop";
import { useFieldMenu } from "./useFieldMenu";
import { useMenuKeys } from "./useMenuKeys";
import { type SkillChoice, useSkillChoice } from "./useSkillChoice";
import { fetched } from "../../ui/fetched";

const FieldMenu = fetched(() => import("./FieldMenu"));
const Files = fetched(() => import("./Files"));
const Confirm = fetched(() => import("../../ui/Confirm"));

/** What is to be sent. `now` means that a run that is going on is stopped for it. */
export type Written = {
  readonly text: string;
  readonly selection: Selection;
  readonly attachments: readonly Attachment[];
  readonly skills: readonly string[];
  readonly now: boolean;
};

type Props = {
  /** The chat's id, or "new": drafts and choices are kept by it. */
  draftKey: string;
  agents: readonly Agent[];
  /** What the chat used last. */
  selected: Selection;
  placeholder: string;
  sendLabel: string;
  /** What sending does where it does not send a prompt. */
  instead?: string;
  /** What stands beside the modes, in place of what the mode means. */
  aside?: string;
  field: RefObject<HTMLTextAreaElement | null>;
  /** False: what is written stays until it is taken out. */
  onSend: (written: Written) => boolean | void;
  /** The skills of the chat, where they can be chosen. */
  skills?: SkillChoice | undefined;
  /** Who else is in the chat, by name. */
  people?: readonly string[];
  /** Files were pasted, dropped or chosen; absent where none can be attached. */
  onFiles?: ((files: readonly File[]) => void) | undefined;
  onTyping?: () => void;
  /** Up was pressed in the empty field; true if there was something to go back to. */
  onRecall?: () => boolean;
  /** Why the last prompt was not taken, or what else the writer should know. */
  note?: ReactNode;
  /** Set while a run goes on. */
  running?: Running | undefined;
  /** What else stands beside the model. */
  meter?: ReactNode;
  busy?: boolean;
  autoFocus?: boolean;
};

const nobody: readonly string[] = [];

/** Where prompts are written, with all that decides how they are answered. */
export function Composer(props: Props) {
  const { draftKey, agents, selected, onSend, onFiles } = props;
  const { text, attachments } = useDrafts((s) => s.drafts[draftKey] ?? emptyDraft);
  const write = useDrafts((s) => s.write);
  const attach = useDrafts((s) => s.attach);
  const uploading = useUploads((s) => (s.uploads[draftKey]?.length ?? 0) > 0);
  const chosenPart = useChoices((s) => s.chosen[draftKey]);
  const choose = useChoices((s) => s.choose);
  const confirm = useChoices((s) => s.confirm);
  const confirmed = useChoices((s) => s.confirmed.has(draftKey));
  const [asking, setAsking] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const modeButton = useRef<HTMLButtonElement>(null);
  const modelButton = useRef<HTMLButtonElement>(null);
  const { menu, setMenu } = useMenuKeys();
  const dropping = useDrop(onFiles);

  const chosen = settle(agents, selected, chosenPart ?? {});
  const tooLarge = unsendable(text);
  const said = text.trim() === "" ? attachments.map((file) => file.name).join(", ") : text;
  const ready = said !== "" && tooLarge === "" && !uploading && props.busy !== true;
  const policies = chosen.agent?.info.modes ?? [];
  const policy = props.aside ?? chosen.policy?.policy ?? "";

  const chat = draftKey === "new" ? null : draftKey;
  const skills = useSkillChoice(chosen.agent, chat, props.skills);
  const agent = chosen.agent === null || props.skills === undefined ? null : chosen.agent.info;
  const asked = { agent, chat, chosen: skills.chosen, people: props.people ?? nobody };
  const words = useFieldMenu(props.field, text, asked, skills.add);

  const pick = (part: Selection) => {
    const to = agents.find((a) => a.info.id === part.agent);
    if (to !== undefined && to.info.id !== chosen.agent?.info.id) void skills.moveTo(to);
    choose(draftKey, part);
  };
  const pickMode = (mode: Mode) => {
    if (mode === "full_auto" && !confirmed && selected.mode !== "full_auto") setAsking(true);
    else choose(draftKey, { mode });
  };
  const send = (now: boolean) => {
    if (!ready) return;
    const gone = onSend({ text: said, selection: chosen.selection, attachments, skills: skills.fit, now });
    if (gone === false) return;
    skills.settle();
    write(draftKey, "");
    if (attachments.length > 0) attach(draftKey, []);
  };

  return (
    <form
      ref={form}
      aria-label={t("composer")}
      className={clsx(
        "writes @container relative rounded-4 border bg-raised shadow-2",
        dropping ? "border-accent outline-2 outline-accent" : "border-line-3",
      )}
      onSubmit={(event) => {
        event.preventDefault();
        send(false);
      }}
    >
      <div className="hidden items-center gap-3 px-2 pt-2 @min-[30rem]:flex short:hidden!">
        <ModeSegments mode={chosen.mode} policies={policies} onPick={pickMode} />
        <Aside text={policy} />
      </div>
      {attachments.length > 0 || uploading ? (
        <Suspense fallback={null}>
          <Files draftKey={draftKey} />
        </Suspense>
      ) : null}
      <SkillChips
        skills={skills.chosen}
        fit={skills.fit}
        agent={chosen.agent?.info.name ?? ""}
        onRemove={(name) => {
          skills.remove(name);
          props.field.current?.focus();
        }}
      />
      {words.open ? (
        <Suspense fallback={null}>
          <FieldMenu key={words.id} menu={words} />
        </Suspense>
      ) : null}
      <MenuStatus menu={words} />
      <PromptField
        field={props.field}
        text={text}
        roomy={chat === null}
        placeholder={dropping ? t("attach.drop") : props.placeholder}
        autoFocus={props.autoFocus === true}
        menu={words}
        onEat={() => {
          const last = skills.chosen.at(-1);
          if (last !== undefined) skills.remove(last);
        }}
        onWrite={(next) => {
          write(draftKey, next);
          if (next.trim() !== "") props.onTyping?.();
        }}
        onSend={send}
        {...(props.onRecall === undefined ? {} : { onRecall: props.onRecall })}
        {...(onFiles === undefined ? {} : { onFiles })}
      />
      <div id="composer-note" className="px-3.5 text-small empty:hidden">
        {tooLarge === "" ? props.note : <span className="text-stop">{tooLarge}</span>}
        {skills.note === "" ? null : (
          <span aria-live="polite" className="block text-ink-2">
            {skills.note}
          </span>
        )}
      </div>
      <p className="px-3.5 pb-1 text-small text-ink-3 empty:hidden @max-[30rem]:hidden short:hidden">
        {/* The first page has its own words about what an agent may do. */}
        {chat === null ? null : chosen.policy?.caveat}
      </p>
      <p className="px-3.5 pb-1 text-small text-ink-3 empty:hidden @min-[30rem]:hidden short:hidden">
        {policy}
      </p>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 px-1 pb-2 @min-[22rem]:px-2 @min-[30rem]:flex-nowrap @min-[30rem]:gap-2">
        {onFiles === undefined ? null : <AttachButton onFiles={onFiles} />}
        <ModePicker
          mode={chosen.mode}
          policies={policies}
          onPick={pickMode}
          open={menu === "mode"}
          onOpen={(open) => setMenu(open ? "mode" : "")}
          anchor={form}
          button={modeButton}
        />
        <Controls
          agents={agents}
          chosen={chosen}
          onChoose={pick}
          open={menu === "model"}
          onOpen={(open) => setMenu(open ? "model" : "")}
          button={modelButton}
        />
        {props.meter}
        <span className="flex-1 @max-[30rem]:hidden" />
        <Buttons
          sendLabel={props.sendLabel}
          instead={props.instead ?? ""}
          ready={ready}
          running={props.running}
          onNow={() => send(true)}
        />
      </div>
      {asking ? (
        <Suspense fallback={null}>
          <Confirm
            open
            title={t("auto.title")}
            body={[t("auto.body"), policies.find((m) => m.mode === "full_auto")?.caveat ?? ""].join(" ")}
            act={t("auto.act")}
            onAct={() => {
              confirm(draftKey);
              choose(draftKey, { mode: "full_auto" });
              setAsking(false);
            }}
            onClose={() => setAsking(false)}
          />
        </Suspense>
      ) : null}
    </form>
  );
}

/** A line beside the modes, as long as there is room for all of it: what does not fit goes to a line that is not seen. */
function Aside({ text }: { text: string }) {
  return (
    <p
      title={text}
      className="flex h-4.5 min-w-0 flex-1 flex-wrap justify-end overflow-hidden pe-2 text-small text-ink-3"
    >
      <span aria-hidden="true" className="h-4.5 w-0" />
      <span data-aside className="whitespace-nowrap">
        {text}
      </span>
    </p>
  );
}
