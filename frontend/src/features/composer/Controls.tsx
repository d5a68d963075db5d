import { t } from "../../messages/t";
import { Picker } from "../../ui/Picker";
import type { Agent, Choice, Selection } from "../../wire/types";
import { type Chosen, modelGroups, modelValue, pickedModel } from "./composer.logic";

type Props = { agents: readonly Agent[]; chosen: Chosen; onChoose: (part: Selection) => void };

/** Who answers, with which model and how hard it tries: what the agent offers, and no more. */
export function Controls({ agents, chosen, onChoose }: Props) {
  const { agent, selection } = chosen;
  if (agent === null) return <span className="text-small text-ink-3">{t("agents.none")}</span>;
  const { info } = agent;
  return (
    <>
      <Picker
        label={t("model")}
        value={modelValue(info.id, selection.model ?? "")}
        groups={modelGroups(agents)}
        onPick={(value) => onChoose(pickedModel(value))}
        lead={<span className="hidden truncate sm:inline">{info.name}</span>}
      />
      {info.efforts.length === 0 ? null : (
        <ChoicePicker
          label={t("effort")}
          choices={info.efforts}
          value={selection.effort ?? ""}
          onPick={(effort) => onChoose({ effort })}
        />
      )}
      {info.tiers.length === 0 ? null : (
        <span className="hidden sm:contents">
          <ChoicePicker
            label={t("tier")}
            choices={info.tiers}
            value={selection.tier ?? ""}
            onPick={(tier) => onChoose({ tier })}
          />
        </span>
      )}
    </>
  );
}

type ChoiceProps = {
  label: string;
  choices: readonly Choice[];
  value: string;
  onPick: (value: string) => void;
};

function ChoicePicker({ label, choices, value, onPick }: ChoiceProps) {
  return (
    <Picker
      label={label}
      value={value}
      groups={[{ label, items: [{ value: "", name: t("choice.default") }, ...choices] }]}
      onPick={onPick}
      lead={<span className="hidden sm:inline">{label}</span>}
    />
  );
}
