import { type ReactNode, useEffect, useId } from "react";
import { t } from "../../messages/t";
import { Button } from "../../ui/Button";
import { Limits } from "../limits";
import { Permissions } from "./Permissions";
import { Switch } from "./Switch";
import { useSettings } from "./useSettings";

/** What a person sets for themselves, and what was allowed where. */
export function SettingsPage() {
  useEffect(() => {
    document.title = t("settings");
    return () => {
      document.title = t("product");
    };
  }, []);
  return (
    <main id="content" tabIndex={-1} className="h-full overflow-y-auto outline-none">
      <div className="mx-auto flex w-full max-w-205 flex-col gap-6 px-4 py-6">
        <div>
          <h1 className="text-title font-semibold">{t("settings")}</h1>
          <p className="text-ui text-ink-2">{t("settings.body")}</p>
        </div>
        <Own />
        <Section title={t("permissions")} body={t("permissions.body")}>
          <Permissions />
        </Section>
      </div>
    </main>
  );
}

function Own() {
  const { settings, failed, again, change, refused } = useSettings();
  if (failed) {
    return (
      <p className="flex flex-wrap items-center gap-3 text-ui text-ink-2">
        {t("settings.failed")} <Button onClick={again}>{t("retry")}</Button>
      </p>
    );
  }
  if (settings === undefined) return null;
  const { enterSends, continueAtReset, limits } = settings;
  return (
    <>
      <Section title={t("settings.writing")}>
        <Switch
          label={t("settings.enter")}
          note={t(enterSends ? "settings.enter.off" : "settings.enter.on")}
          on={!enterSends}
          onChange={(on) => change({ enterSends: !on })}
        />
      </Section>
      <Section title={t("settings.runs")}>
        <Switch
          label={t("settings.continue")}
          note={t("settings.continue.note")}
          on={continueAtReset}
          onChange={(on) => change({ continueAtReset: on })}
        />
        <p className="pt-2 text-ui font-medium">{t("limits")}</p>
        <Limits
          note={t("limits.note")}
          // What was saved elsewhere is shown anew.
          key={JSON.stringify(limits)}
          limits={limits}
          onChange={(next) => change({ limits: next })}
        />
      </Section>
      {refused ? (
        <p role="alert" className="text-small text-stop">
          {t("settings.refused")}
        </p>
      ) : null}
    </>
  );
}

function Section({ title, body, children }: { title: string; body?: string; children: ReactNode }) {
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
