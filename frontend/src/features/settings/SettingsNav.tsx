import { Link, type ParsedLocation } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import type { ReactNode } from "react";
import { t } from "../../messages/t";
import { type Part, partGroups, partIcons, partNames, parts } from "./parts";

const place =
  "target flex items-center gap-2 rounded-2 px-2 text-ui text-ink-2 hover:bg-hover aria-[current=page]:bg-selected aria-[current=page]:font-medium aria-[current=page]:text-ink";

function PartLink({ part }: { part: Part }) {
  const Icon = partIcons[part];
  return (
    <Link
      to="/settings/{-$part}"
      params={{ part: part === "you" ? undefined : part }}
      activeOptions={{ exact: true }}
      className={place}
    >
      <Icon aria-hidden="true" size={16} strokeWidth={1.75} />
      {t(partNames[part])}
    </Link>
  );
}

type Props = { back: ParsedLocation | undefined; foot: ReactNode };

/** The parts of the settings in place of the sidebar, with the way back to where the person came from. */
export function SettingsSidebar({ back, foot }: Props) {
  return (
    <nav aria-label={t("settings.sections")} className="flex h-full flex-col bg-rail">
      <div className="flex min-h-12 items-center px-2">
        <Link
          to={back?.pathname ?? "/"}
          search={back?.search ?? {}}
          hash={back?.hash ?? ""}
          aria-label={t("settings.leave")}
          title={t("settings.leave")}
          className="target flex items-center gap-2 rounded-2 px-2 text-ui font-semibold hover:bg-hover"
        >
          <ArrowLeft aria-hidden="true" size={16} strokeWidth={1.75} />
          {t("settings")}
        </Link>
      </div>
      <div className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto px-2 pb-2">
        {partGroups.map((group) => (
          <div key={group.name} className="flex flex-col gap-0.5">
            <p className="px-2 py-1 text-caption font-semibold text-ink-3">{t(group.name)}</p>
            {group.parts.map((part) => (
              <PartLink key={part} part={part} />
            ))}
          </div>
        ))}
      </div>
      {foot}
    </nav>
  );
}

/** The same over the page, where the sidebar is a drawer. */
export function SettingsTabs() {
  return (
    <nav aria-label={t("settings.sections")} className="flex flex-wrap gap-0.5 lg:hidden thumb:gap-x-3">
      {parts.map((part) => (
        <PartLink key={part} part={part} />
      ))}
    </nav>
  );
}
