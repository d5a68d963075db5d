import { useState } from "react";
import { t } from "../../messages/t";
import type { CompleteEvent } from "../../wire/types";
import { footerOf, usageDetail } from "./footer.logic";

/** The line under a finished run: how it ended, how long it took, what it used and cost. */
export function Footer({ complete }: { complete: CompleteEvent }) {
  const [open, setOpen] = useState(false);
  const { usage } = complete;
  const line = (
    <>
      {complete.status === "cancelled" ? (
        <span className="font-sans font-medium text-ink-2">{t("stopped")}</span>
      ) : null}
      {footerOf(complete).join(" · ")}
    </>
  );
  const look = "flex flex-wrap items-center gap-x-2 font-mono text-count text-ink-3";
  if (usage === undefined) return <p className={look}>{line}</p>;
  return (
    <div>
      <button
        type="button"
        aria-expanded={open}
        title={t("usage.show")}
        onClick={() => setOpen(!open)}
        className={`${look} target -mx-1 rounded-2 px-1 hover:bg-hover hover:text-ink-2`}
      >
        {line}
      </button>
      {open ? (
        <dl className="flex flex-wrap gap-x-4 gap-y-1 font-mono text-count text-ink-3">
          {usage.model === undefined ? null : <Part name={t("usage.model")} value={usage.model} />}
          {usageDetail(usage).map(([name, value]) => (
            <Part key={name} name={name} value={value} />
          ))}
        </dl>
      ) : null}
    </div>
  );
}

function Part({ name, value }: { name: string; value: string }) {
  return (
    <div className="flex gap-1">
      <dt>{name}</dt>
      <dd className="text-ink-2">{value}</dd>
    </div>
  );
}
