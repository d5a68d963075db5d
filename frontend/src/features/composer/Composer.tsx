import { ArrowUp, CornerDownLeft, Square } from "lucide-react";
import { type KeyboardEvent, lazy, type ReactNode, type RefObject, Suspense, useState } from "react";
import { t } from "../../messages/t";
import { Button } from "../../ui/Button";
import type { Agent, Mode, Selection } from "../../wire/types";
import { settle, unsendable } from "./composer.logic";
import { useChoices } from "./choice.store";
import { Controls } from "./Controls";
import { useDrafts } from "./draft.store";
import { ModePicker, ModeSegments } from "./Modes";

const Confirm = lazy(() => import("../../ui/Confirm"));

type Props = {
  /** The chat's id, or "new": drafts and choices are kept by it. */
  draftKey: string;
  agents: readonly Agent[];
  /** What the chat used last. */
  selected: Selection;
  placeholder: string;
  sendLabel: string;
  field: RefObject<HTMLTextAreaElement | null>;
  onSend: (text: string, selection: Selection) => void;
  /** Why the last prompt was not taken, or what else the writer should know. */
  note?: ReactNode;
  onStop?: () => void;
  /** Esc was pressed once: the second stops. */
  stopArmed?: boolean;
  stopping?: boolean;
  /** There is no line to ask the server by. */
  offline?: boolean;
  busy?: boolean;
  autoFocus?: boolean;
};

/** Where prompts are written, with all that decides how they are answered. */
export function Composer(props: Props) {
  const { draftKey, agents, selected, field, onSend } = props;
  const text = useDrafts((s) => s.texts[draftKey] ?? "");
  const write = useDrafts((s) => s.write);
  const chosenPart = useChoices((s) => s.chosen[draftKey]);
  const choose = useChoices((s) => s.choose);
  const confirm = useChoices((s) => s.confirm);
  const confirmed = useChoices((s) => s.confirmed.has(draftKey));
  const [asking, setAsking] = useState(false);
  const chosen = settle(agents, selected, chosenPart ?? {});
  const tooLarge = unsendable(text);
  const ready = text.trim() !== "" && tooLarge === "" && props.busy !== true;

  const pickMode = (mode: Mode) => {
    if (mode === "full_auto" && !confirmed && selected.mode !== "full_auto") setAsking(true);
    else choose(draftKey, { mode });
  };
  const send = () => {
    if (!ready) return;
    onSend(text, chosen.selection);
    write(draftKey, "");
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    // An input method uses Enter to choose: that is not meant for us.
    if (event.key !== "Enter" || event.nativeEvent.isComposing || event.keyCode === 229) return;
    // On a touch keyboard Enter is the only way to a new line.
    if (event.shiftKey || event.altKey || matchMedia("(pointer: coarse)").matches) return;
    event.preventDefault();
    send();
  };
  const policies = chosen.agent?.info.modes ?? [];
  const policy = chosen.policy?.policy ?? "";

  return (
    <form
      aria-label={t("composer")}
      className="rounded-4 border border-line-3 bg-raised shadow-2 focus-within:border-ink-3"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <div className="hidden items-center gap-3 px-2 pt-2 sm:flex">
        <ModeSegments mode={chosen.mode} policies={policies} onPick={pickMode} />
        <p className="min-w-0 flex-1 truncate pe-2 text-end text-small text-ink-3" title={policy}>
          {policy}
        </p>
      </div>
      <textarea
        ref={field}
        id="composer"
        dir="auto"
        rows={Math.min(12, text.split("\n").length)}
        value={text}
        onChange={(event) => write(draftKey, event.target.value)}
        onKeyDown={onKeyDown}
        placeholder={props.placeholder}
        aria-label={t("prompt")}
        aria-describedby="composer-note"
        enterKeyHint="enter"
        // The page that is only a composer starts in it.
        autoFocus={props.autoFocus}
        className="field-sizing-content block max-h-[40dvh] w-full resize-none overflow-y-auto bg-transparent px-3.5 py-2 text-field outline-none"
      />
      <div id="composer-note" className="px-3.5 text-small empty:hidden">
        {tooLarge === "" ? props.note : <span className="text-stop">{tooLarge}</span>}
      </div>
      <p className="px-3.5 pb-1 text-small text-ink-3 empty:hidden max-sm:hidden">{chosen.policy?.caveat}</p>
      <p className="px-3.5 pb-1 text-small text-ink-3 empty:hidden sm:hidden">{policy}</p>
      <div className="flex items-center gap-1 px-2 pb-2 sm:gap-2">
        <span className="contents sm:hidden">
          <ModePicker mode={chosen.mode} policies={policies} onPick={pickMode} />
        </span>
        <Controls agents={agents} chosen={chosen} onChoose={(part) => choose(draftKey, part)} />
        <span className="flex-1" />
        {props.onStop === undefined ? null : (
          <Button
            look="stop"
            onClick={props.onStop}
            disabled={props.stopping === true || props.offline === true}
            className="max-sm:rounded-full max-sm:px-0"
          >
            <Square aria-hidden="true" size={12} fill="currentColor" />
            <span className="max-sm:sr-only">{t(props.stopping === true ? "stop.now" : "stop")}</span>
            <kbd className="hidden font-mono text-count text-ink-3 sm:inline">
              {t(props.stopArmed === true ? "stop.again" : "key.esc")}
            </kbd>
          </Button>
        )}
        <Button
          look="primary"
          type="submit"
          aria-disabled={!ready}
          className="max-sm:rounded-full max-sm:px-0"
        >
          <span className="max-sm:sr-only">{props.sendLabel}</span>
          <CornerDownLeft aria-hidden="true" size={12} className="max-sm:hidden" />
          <ArrowUp aria-hidden="true" size={20} className="sm:hidden" />
        </Button>
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
