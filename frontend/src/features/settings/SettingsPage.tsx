import { useParams } from "@tanstack/react-router";
import { Suspense, useEffect } from "react";
import { t } from "../../messages/t";
import { Keyboard } from "./Keyboard";
import { Own } from "./Own";
import { Section } from "./Parts";
import { PasswordForm } from "./PasswordForm";
import { type Part, partNames, parts } from "./parts";
import { Permissions } from "./Permissions";
import { Sessions } from "./Sessions";
import { SettingsTabs } from "./SettingsNav";
import { Tokens } from "./Tokens";
import { fetched } from "../../ui/fetched";

const Usage = fetched(() => import("../usage").then((door) => ({ default: door.UsagePart })));
const Storage = fetched(() => import("../usage").then((door) => ({ default: door.StoragePart })));

const bodies: Readonly<Partial<Record<Part, "settings.body" | "permissions.body">>> = {
  you: "settings.body",
  permissions: "permissions.body",
};

/** What a person sets for themselves, what was allowed where, and what all of it takes. */
export function SettingsPage() {
  const { part: asked } = useParams({ strict: false });
  const part = parts.find((name) => name === asked) ?? "you";
  const title = t(partNames[part]);
  useEffect(() => {
    document.title = `${title} · ${t("settings")}`;
    return () => {
      document.title = t("product");
    };
  }, [title]);
  return (
    <main id="content" tabIndex={-1} className="h-full overflow-y-auto outline-none">
      <div className="flex w-full max-w-213 flex-col gap-6 px-4 pt-2 pb-6 sm:px-8 lg:pt-6">
        <SettingsTabs />
        <div>
          <h1 className="text-title font-semibold">{title}</h1>
          {bodies[part] === undefined ? null : <p className="text-ui text-ink-2">{t(bodies[part])}</p>}
        </div>
        <Suspense fallback={<p className="text-ui text-ink-3">{t("loading")}</p>}>{bodyOf(part)}</Suspense>
      </div>
    </main>
  );
}

function bodyOf(part: Part) {
  switch (part) {
    case "you":
      return <Own />;
    case "account":
      return (
        <>
          <Section title={t("sessions")} body={t("sessions.body")}>
            <Sessions />
          </Section>
          <Section title={t("tokens.title")} body={t("tokens.body")}>
            <Tokens />
          </Section>
          <Section title={t("password")} body={t("password.body")}>
            <PasswordForm />
          </Section>
        </>
      );
    case "keyboard":
      return (
        <div>
          <Keyboard />
        </div>
      );
    case "permissions":
      return (
        <div>
          <Permissions />
        </div>
      );
    case "usage":
      return <Usage />;
    case "storage":
      return <Storage />;
  }
}
