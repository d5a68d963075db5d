import { type FormEvent, useState } from "react";
import { t } from "../../messages/t";
import { Button } from "../../ui/Button";
import { Field } from "../../ui/Field";
import type { Limits as RunLimits } from "../../wire/types";
import { limitNames, limitsOf, limitTexts } from "./limits.logic";

const labels = {
  minutes: "limits.minutes",
  tokens: "limits.tokens",
  costUsd: "limits.cost",
} as const;

type Props = { note: string; limits: RunLimits; onChange: (limits: RunLimits) => void };

/** How much one run may use before it is stopped. */
export function Limits({ note, limits, onChange }: Props) {
  const [texts, setTexts] = useState(() => limitTexts(limits));
  const [tried, setTried] = useState(false);
  const { limits: next, wrong } = limitsOf(texts);
  const same = limitNames.every((name) => (limits[name] ?? 0) === next[name]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (wrong.length === 0) onChange(next);
  };
  return (
    <form onSubmit={submit} noValidate className="py-2">
      <p className="pb-2 text-small text-ink-2">{note}</p>
      <div className="grid gap-3 sm:grid-cols-3">
        {limitNames.map((name) => (
          <Field
            key={name}
            label={t(labels[name])}
            inputMode="decimal"
            placeholder={t("limits.none")}
            value={texts[name]}
            onChange={(event) => setTexts({ ...texts, [name]: event.target.value })}
            {...(tried && wrong.includes(name) ? { error: t("limits.wrong") } : {})}
          />
        ))}
      </div>
      <Button type="submit" className="mt-3" disabled={same && wrong.length === 0}>
        {t("limits.save")}
      </Button>
    </form>
  );
}
