import { t } from "../../messages/t";
import { Button } from "../../ui/Button";
import { Limits } from "../limits";
import { Section } from "./Parts";
import { Switch } from "./Switch";
import { useSettings } from "./useSettings";

/** What a person sets for themselves, in every browser. */
export function Own() {
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
      </Section>
      <Section title={t("limits")}>
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
