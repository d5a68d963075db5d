import { Link, useParams } from "@tanstack/react-router";
import {
  ChartNoAxesColumn,
  HardDrive,
  Keyboard as Keys,
  KeyRound,
  type LucideIcon,
  ShieldCheck,
  UserRound,
} from "lucide-react";
import { lazy, Suspense, useEffect } from "react";
import { t } from "../../messages/t";
import { Keyboard } from "./Keyboard";
import { Own } from "./Own";
import { Section } from "./Parts";
import { PasswordForm } from "./PasswordForm";
import { Permissions } from "./Permissions";
import { Sessions } from "./Sessions";
import { Tokens } from "./Tokens";

const Usage = lazy(() => import("../usage").then((door) => ({ default: door.UsagePart })));
const Storage = lazy(() => import("../usage").then((door) => ({ default: door.StoragePart })));

const parts = ["you", "account", "keyboard", "permissions", "usage", "storage"] as const;
type Part = (typeof parts)[number];

const names = {
  you: "settings.you",
  account: "settings.account",
  keyboard: "settings.keyboard",
  permissions: "permissions",
  usage: "settings.usage",
  storage: "settings.storage",
} as const;

const icons: Readonly<Record<Part, LucideIcon>> = {
  you: UserRound,
  account: KeyRound,
  keyboard: Keys,
  permissions: ShieldCheck,
  usage: ChartNoAxesColumn,
  storage: HardDrive,
};

const tab =
  "target inline-flex items-center gap-2 rounded-2 px-2 text-ui text-ink-2 hover:bg-hover aria-[current=page]:bg-selected aria-[current=page]:font-medium aria-[current=page]:text-ink";

/** What a person sets for themselves, what was allowed where, and what all of it takes. */
export function SettingsPage() {
  const { part: asked } = useParams({ strict: false });
  const part = parts.find((name) => name === asked) ?? "you";
  const title = t(names[part]);
  useEffect(() => {
    document.title = `${title} · ${t("settings")}`;
    return () => {
      document.title = t("product");
    };
  }, [title]);
  return (
    <main id="content" tabIndex={-1} className="h-full overflow-y-auto outline-none">
      <div className="mx-auto flex w-full max-w-245 flex-col gap-4 px-4 py-6 lg:flex-row lg:gap-8">
        <div className="lg:w-44 lg:flex-none">
          <h1 className="px-2 text-title font-semibold">{t("settings")}</h1>
          <nav aria-label={t("settings.sections")} className="mt-3 flex flex-wrap gap-0.5 lg:flex-col">
            {parts.map((name) => {
              const Icon = icons[name];
              return (
                <Link
                  key={name}
                  to="/settings/{-$part}"
                  params={{ part: name === "you" ? undefined : name }}
                  activeOptions={{ exact: true }}
                  className={tab}
                >
                  <Icon aria-hidden="true" size={16} strokeWidth={1.75} />
                  {t(names[name])}
                </Link>
              );
            })}
          </nav>
        </div>
        <div className="flex min-w-0 flex-1 flex-col gap-6 lg:pt-1">
          <Suspense fallback={<p className="text-ui text-ink-3">{t("loading")}</p>}>{bodyOf(part)}</Suspense>
        </div>
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
        <Section title={t("settings.keyboard")}>
          <Keyboard />
        </Section>
      );
    case "permissions":
      return (
        <Section title={t("permissions")} body={t("permissions.body")}>
          <Permissions />
        </Section>
      );
    case "usage":
      return <Usage />;
    case "storage":
      return <Storage />;
  }
}
