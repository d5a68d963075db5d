import { Popover } from "@base-ui/react/popover";
import { type RefObject, useId, useRef, useState } from "react";
import { t } from "../../messages/t";
import { Glyph } from "../../ui/Glyph";
import { Ticked } from "../../ui/Ticked";
import { useReturnFocus } from "../../ui/useReturnFocus";
import type { Agent, Choice, Selection } from "../../wire/types";
import {
  abilities,
  type Chosen,
  type ModelGroup,
  modelGroups,
  modelValue,
  pickedModel,
} from "./composer.logic";

/** With more models than this, a field to find one by its name. */
const many = 8;

type Props = {
  agents: readonly Agent[];
  chosen: Chosen;
  title: string;
  anchor: RefObject<HTMLElement | null>;
  onChoose: (part: Selection) => void;
  /** `done` says that a model was picked, and the menu not only left. */
  onClose: (done: boolean) => void;
  /** Only who answers is asked, not how. */
  modelOnly?: boolean;
};

/** Who answers and how hard it tries, with what each can and cannot do. */
export default function ModelMenu({
  agents,
  chosen,
  title,
  anchor,
  onChoose,
  onClose,
  modelOnly = false,
}: Props) {
  const [words, setWords] = useState("");
  const name = useId();
  const list = useRef<HTMLDivElement>(null);
  useReturnFocus();
  const groups = modelGroups(agents, words);
  const all = modelGroups(agents).reduce((sum, group) => sum + offered(group, "").length, 0);
  const info = chosen.agent?.info;
  const value = modelValue(info?.id ?? "", chosen.selection.model ?? "");
  return (
    <Popover.Root
      open
      onOpenChange={(open) => {
        if (!open) onClose(false);
      }}
    >
      <Popover.Portal>
        <Popover.Positioner
          anchor={anchor}
          side="top"
          align="start"
          sideOffset={6}
          className="menu-place z-(--z-menu)"
        >
          <Popover.Popup
            // On a screen a field that has the focus brings up the keyboard, over half of the models.
            initialFocus={() => (matchMedia("(pointer: coarse)").matches ? list.current : true)}
            finalFocus={false}
            className="opens flex max-h-(--available-height) w-93 max-w-(--available-width) flex-col rounded-3 border border-line-2 bg-raised shadow-3 outline-none"
          >
            <Popover.Title className="sr-only">{title}</Popover.Title>
            {all <= many ? null : (
              <input
                type="search"
                aria-label={t("model.find")}
                placeholder={t("model.find")}
                value={words}
                onChange={(event) => setWords(event.target.value)}
                className="m-2 mb-0 min-h-[max(2rem,var(--target))] rounded-2 border border-line-3 bg-raised px-2 text-field"
              />
            )}
            <div ref={list} tabIndex={-1} className="min-h-0 flex-1 overflow-y-auto p-1 outline-none">
              {groups.length === 0 ? (
                <p className="px-2 py-2 text-small text-ink-2">{t("model.none", { words })}</p>
              ) : null}
              {groups.map((group) => (
                <Group
                  key={group.agent.info.id}
                  group={group}
                  name={name}
                  value={modelOnly ? "" : value}
                  onPick={(picked) => onChoose(pickedModel(picked))}
                  onDone={() => onClose(true)}
                />
              ))}
            </div>
            {modelOnly || info === undefined || info.efforts.length + info.tiers.length === 0 ? null : (
              <div className="flex flex-col gap-2 border-t border-line p-3">
                <Segments
                  label={t("effort")}
                  choices={info.efforts}
                  value={chosen.selection.effort ?? ""}
                  onPick={(effort) => onChoose({ effort })}
                />
                <Segments
                  label={t("tier")}
                  choices={info.tiers}
                  value={chosen.selection.tier ?? ""}
                  onPick={(tier) => onChoose({ tier })}
                />
              </div>
            )}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** The models of an agent that can be picked, and the one that was: of one that cannot run there are no others. */
function offered({ agent, models }: ModelGroup, value: string): ModelGroup["models"] {
  const { state } = agent.status;
  return state === "ready" || state === "unknown" ? models : models.filter((model) => model.value === value);
}

type GroupProps = {
  group: ModelGroup;
  name: string;
  value: string;
  onPick: (value: string) => void;
  onDone: () => void;
};

function Group({ group, name, value, onPick, onDone }: GroupProps) {
  const { agent, why, hint } = group;
  const ready = why === "";
  return (
    <fieldset disabled={!ready} className="min-w-0 pb-1">
      <legend className="flex w-full items-center gap-2 px-2 pt-2 pb-1 text-caption font-semibold text-ink-2">
        {agent.info.name}
        {agent.info.demo === true ? <span className="font-normal text-ink-3">{t("demo")}</span> : null}
      </legend>
      {ready ? null : (
        <p className="flex items-start gap-2 px-2 pb-1 text-small text-ink-2">
          <span className="flex h-4.5 items-center">
            <Glyph signal={agent.status.state === "not_installed" ? "rest" : "needs"} size={11} />
          </span>
          <span className="min-w-0 wrap-anywhere">
            {why} <Ticked text={hint} />
          </span>
        </p>
      )}
      {offered(group, value).map((m) => (
        <label
          key={m.value}
          className="target flex items-center gap-2 rounded-2 px-2 py-1 text-ui has-checked:bg-selected has-disabled:text-ink-3 has-enabled:hover:bg-hover has-focus-visible:outline-2 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            className="sr-only"
            name={name}
            value={m.value}
            checked={m.value === value}
            onChange={() => onPick(m.value)}
            // A press says which and that this is all; arrows only go through them.
            onClick={(event) => {
              if (event.detail > 0) {
                onPick(m.value);
                onDone();
              }
            }}
            onKeyDown={(event) => {
              if (event.key !== "Enter") return;
              event.preventDefault();
              onPick(m.value);
              onDone();
            }}
          />
          <Glyph signal={ready ? "ready" : "rest"} size={11} />
          <span className="min-w-0">
            {m.name} <span className="ps-1.5 text-small text-ink-2">{m.note}</span>
          </span>
        </label>
      ))}
      {ready ? (
        <p className="px-2 pt-0.5 text-small text-ink-3">
          {abilities(agent)
            .map((a) => a.words)
            .join(" · ")}
        </p>
      ) : null}
    </fieldset>
  );
}

type SegmentsProps = {
  label: string;
  choices: readonly Choice[];
  value: string;
  onPick: (value: string) => void;
};

function Segments({ label, choices, value, onPick }: SegmentsProps) {
  const name = useId();
  if (choices.length === 0) return null;
  return (
    <fieldset className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <legend className="sr-only">{label}</legend>
      <span aria-hidden="true" className="w-12 text-small text-ink-2">
        {label}
      </span>
      <span className="flex flex-wrap rounded-2 border border-line-3 bg-sunken">
        {[{ value: "", name: t("choice.default") }, ...choices].map((c) => (
          <label
            key={c.value}
            className="target inline-flex items-center justify-center rounded-2 border border-transparent px-2 text-small text-ink-2 has-checked:border-line-3 has-checked:bg-raised has-checked:font-semibold has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              className="sr-only"
              name={name}
              value={c.value}
              checked={c.value === value}
              onChange={() => onPick(c.value)}
            />
            {c.name}
          </label>
        ))}
      </span>
    </fieldset>
  );
}
