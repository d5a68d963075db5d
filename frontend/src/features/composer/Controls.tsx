import { ChevronDown } from "lucide-react";
import { lazy, type RefObject, Suspense } from "react";
import { t } from "../../messages/t";
import { Picker } from "../../ui/Picker";
import type { Agent, Choice, Selection } from "../../wire/types";
import type { Chosen } from "./composer.logic";

const ModelMenu = lazy(() => import("./ModelMenu"));

type Props = {
  agents: readonly Agent[];
  chosen: Chosen;
  onChoose: (part: Selection) => void;
  open: boolean;
  onOpen: (open: boolean) => void;
  button: RefObject<HTMLButtonElement | null>;
};

/** Who answers, with which model and how hard it tries: what the agent offers, and no more. */
export function Controls({ agents, chosen, onChoose, open, onOpen, button }: Props) {
  const { agent, selection } = chosen;
  if (agent === null) return <span className="text-small text-ink-3">{t("agents.none")}</span>;
  const { info } = agent;
  const model = info.models.find((m) => m.value === selection.model)?.name ?? t("model.default");
  const effort = info.efforts.find((e) => e.value === selection.effort)?.name ?? "";
  return (
    <>
      <button
        ref={button}
        type="button"
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-label={t("model.of", { agent: info.name, model })}
        onClick={() => onOpen(!open)}
        className="target inline-flex min-w-0 items-center gap-1.5 rounded-2 px-1.5 text-small text-ink-2 hover:bg-hover aria-expanded:bg-hover"
      >
        <span className="hidden truncate @min-[30rem]:inline">{info.name}</span>
        <span className="truncate font-semibold text-ink">{model}</span>
        {effort === "" ? null : <span className="truncate @min-[34rem]:hidden">{effort}</span>}
        <ChevronDown aria-hidden="true" size={12} className="text-ink-3" />
      </button>
      {open ? (
        <Suspense fallback={null}>
          <ModelMenu
            agents={agents}
            chosen={chosen}
            title={t("model.title")}
            anchor={button}
            onChoose={onChoose}
            onClose={() => onOpen(false)}
          />
        </Suspense>
      ) : null}
      <span className="hidden @min-[34rem]:contents">
        <ChoicePicker
          label={t("effort")}
          choices={info.efforts}
          value={selection.effort ?? ""}
          onPick={(picked) => onChoose({ effort: picked })}
        />
      </span>
      <span className="hidden @min-[44rem]:contents">
        <ChoicePicker
          label={t("tier")}
          choices={info.tiers}
          value={selection.tier ?? ""}
          onPick={(picked) => onChoose({ tier: picked })}
        />
      </span>
    </>
  );
}

type ChoiceProps = {
  label: string;
  choices: readonly Choice[];
  value: string;
  onPick: (value: string) => void;
};

/** Where there is little room, the model's menu has the same choice. */
function ChoicePicker({ label, choices, value, onPick }: ChoiceProps) {
  if (choices.length === 0) return null;
  return (
    <Picker
      label={label}
      value={value}
      groups={[{ label, items: [{ value: "", name: t("choice.default") }, ...choices] }]}
      onPick={onPick}
      lead={<span className="hidden @min-[40rem]:inline">{label}</span>}
    />
  );
}
