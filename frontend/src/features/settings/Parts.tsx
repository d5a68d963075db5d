import { type ReactNode, useId } from "react";
import { ApiError } from "../../api/http";
import { t } from "../../messages/t";
import { Button } from "../../ui/Button";

/** The box around the rows of a list. */
export const box = "divide-y divide-line overflow-hidden rounded-3 border border-line-2 bg-raised";

/** A part of the settings under its name. */
export function Section({ title, body, children }: { title: string; body?: string; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="text-heading font-semibold">
        {title}
      </h2>
      {body === undefined ? null : <p className="pb-2 text-ui text-ink-2">{body}</p>}
      {children}
    </section>
  );
}

/** What did not load, and the way to try again. */
export function Unloaded({ again }: { again: () => void }) {
  return (
    <p role="alert" className="flex flex-wrap items-center gap-3 text-ui text-ink-2">
      {t("settings.failed.part")} <Button onClick={again}>{t("retry")}</Button>
    </p>
  );
}

/** Why a change was not made, in the server's words where there are any. */
export function Refused({ error }: { error: Error | null }) {
  if (error === null) return null;
  const { message, hint } = error instanceof ApiError ? error.fault : { message: "", hint: undefined };
  return (
    <p role="alert" className="pt-2 text-small text-stop">
      {message === "" ? t("settings.refused") : [message, hint].filter(Boolean).join(" ")}
    </p>
  );
}
