import { Zap } from "lucide-react";
import { useId } from "react";
import { t } from "../../messages/t";
import type { Mode, ModePolicy } from "../../wire/types";
import { modeNames, modes } from "./composer.logic";
import { Picker } from "../../ui/Picker";

type Props = { mode: Mode; policies: readonly ModePolicy[]; onPick: (mode: Mode) => void };

function offered(policies: readonly ModePolicy[]): readonly Mode[] {
  return policies.length === 0 ? modes : modes.filter((m) => policies.some((p) => p.mode === m));
}

/** The modes side by side, as one group of radio buttons. */
export function ModeSegments({ mode, policies, onPick }: Props) {
  const name = useId();
  return (
    <fieldset className="hidden rounded-2 border border-line-3 bg-sunken sm:flex">
      <legend className="sr-only">{t("mode")}</legend>
      {offered(policies).map((m) => (
        <label
          key={m}
          className="inline-flex min-h-7 items-center gap-1 rounded-2 border border-transparent px-2.5 text-small text-ink-2 has-checked:border-line-3 has-checked:bg-raised has-checked:font-semibold has-checked:text-ink has-checked:shadow-1 has-focus-visible:outline-2 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            className="sr-only"
            name={name}
            value={m}
            checked={m === mode}
            onChange={() => onPick(m)}
          />
          {m === "full_auto" ? <Zap aria-hidden="true" size={12} /> : null}
          {t(modeNames[m])}
        </label>
      ))}
    </fieldset>
  );
}

/** The same choice where there is no room for segments. */
export function ModePicker({ mode, policies, onPick }: Props) {
  const items = offered(policies).map((m) => {
    const policy = policies.find((p) => p.mode === m);
    const note = [policy?.policy ?? "", policy?.caveat ?? ""].join(" ").trim();
    return { value: m, name: t(modeNames[m]), ...(note === "" ? {} : { note }) };
  });
  return (
    <Picker
      label={t("mode")}
      value={mode}
      groups={[{ label: t("mode"), items }]}
      onPick={(value) => {
        const picked = modes.find((m) => m === value);
        if (picked !== undefined) onPick(picked);
      }}
      lead={mode === "full_auto" ? <Zap aria-hidden="true" size={12} className="text-caution" /> : null}
    />
  );
}
