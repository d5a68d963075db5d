import { type FormEvent, useId, useState } from "react";
import { t } from "../../messages/t";
import { Button } from "../../ui/Button";
import { Field } from "../../ui/Field";
import type { NewToken } from "../../wire/types";

const lives = [7, 30, 90, 365, 0] as const;
const scopes = ["read", "full"] as const;

const select =
  "min-h-[max(2.25rem,var(--target))] rounded-2 border border-line-3 bg-raised px-2 text-field font-normal";

type Props = { busy: boolean; made: string; onMake: (token: NewToken) => void };

/** Asks what a token is for, what it may do and how long it lives. `made` empties it. */
export function TokenForm({ busy, made, onMake }: Props) {
  const [name, setName] = useState("");
  const [scope, setScope] = useState<NewToken["scope"]>("read");
  const [days, setDays] = useState<number>(30);
  const [tried, setTried] = useState(false);
  const [last, setLast] = useState(made);
  const id = useId();
  if (made !== last) {
    setLast(made);
    if (made !== "") setName("");
    setTried(false);
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (name.trim() !== "") onMake({ name: name.trim(), scope, ...(days === 0 ? {} : { days }) });
  };
  return (
    <form
      onSubmit={submit}
      noValidate
      aria-label={t("tokens.new")}
      className="mt-3 flex flex-wrap items-start gap-3"
    >
      <div className="min-w-52 flex-1">
        <Field
          label={t("tokens.name")}
          value={name}
          maxLength={64}
          autoComplete="off"
          placeholder={t("tokens.name.hint")}
          onChange={(event) => setName(event.target.value)}
          {...(tried && name.trim() === "" ? { error: t("tokens.name.wrong") } : {})}
        />
      </div>
      <label htmlFor={`${id}-scope`} className="flex flex-col gap-1 text-ui font-medium">
        {t("tokens.scope")}
        <select
          id={`${id}-scope`}
          className={select}
          value={scope}
          onChange={(event) => setScope(event.target.value === "full" ? "full" : "read")}
        >
          {scopes.map((one) => (
            <option key={one} value={one}>
              {t(one === "read" ? "tokens.scope.read" : "tokens.scope.full")}
            </option>
          ))}
        </select>
      </label>
      <label htmlFor={`${id}-days`} className="flex flex-col gap-1 text-ui font-medium">
        {t("tokens.life")}
        <select
          id={`${id}-days`}
          className={select}
          value={days}
          onChange={(event) => setDays(Number(event.target.value))}
        >
          {lives.map((n) => (
            <option key={n} value={n}>
              {n === 0 ? t("tokens.unending") : t("tokens.days", { n })}
            </option>
          ))}
        </select>
      </label>
      <Button type="submit" className="min-h-[max(2.25rem,var(--target))] sm:mt-6.5" disabled={busy}>
        {t("tokens.make")}
      </Button>
    </form>
  );
}
