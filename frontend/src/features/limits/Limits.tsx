import { type FormEvent, useState } from "react";
import { t } from "../../messages/t";
import { Button } from "../../ui/Button";
import { Field } from "../../ui/Field";
import type { Limits as ChatLimits } from "../../wire/types";
import { limitNames, limitsOf, spans, textsOf } from "./limits.logic";

const labels = {
  minutes: "limits.minutes",
  tokens: "limits.tokens",
  costUsd: "limits.cost",
} as const;

const headings = { run: "limits.run", chat: "limits.total", day: "limits.day" } as const;

type Props = { note: string; limits: ChatLimits; onChange: (limits: ChatLimits) => void };

/** How much runs may use before they are stopped: each, those of a chat, those of its day. */
export function Limits({ note, limits, onChange }: Props) {
  const before = textsOf(limits);
  const [texts, setTexts] = useState(before);
  const [tried, setTried] = useState(false);
  const { limits: next, wrong } = limitsOf(texts);
  const right = spans.every((span) => wrong[span].length === 0);
  const same = JSON.stringify(next) === JSON.stringify(limitsOf(before).limits);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (right) onChange(next);
  };
  return (
    <form onSubmit={submit} noValidate className="pb-2">
      <p className="pb-3 text-ui text-ink-2">{note}</p>
      {spans.map((span) => (
        <fieldset key={span} className="pb-4">
          <legend className="pb-1.5 text-caption font-semibold text-ink-2">{t(headings[span])}</legend>
          <div className="grid gap-3 sm:grid-cols-3">
            {limitNames.map((name) => (
              <Field
                key={name}
                label={t(labels[name])}
                inputMode="decimal"
                placeholder={t("limits.none")}
                value={texts[span][name]}
                onChange={(event) =>
                  setTexts({ ...texts, [span]: { ...texts[span], [name]: event.target.value } })
                }
                {...(tried && wrong[span].includes(name) ? { error: t("limits.wrong") } : {})}
              />
            ))}
          </div>
        </fieldset>
      ))}
      <Button type="submit" disabled={same && right}>
        {t("limits.save")}
      </Button>
    </form>
  );
}
