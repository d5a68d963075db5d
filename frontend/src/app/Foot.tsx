import { Suspense } from "react";
import { useWorkspace, useWorkspaceState } from "../features/chats";
import { t } from "../messages/t";
import { Avatar } from "../ui/Avatar";
import { Button } from "../ui/Button";
import { Glyph } from "../ui/Glyph";
import type { Person } from "../wire/types";
import { fetched } from "../ui/fetched";

const AccountMenu = fetched(() => import("./AccountMenu"));

type Props = { person: Person; onVisit: () => void; onSignOut: () => void };

/** At the end of the sidebar: who is signed in, and whether the server is reached. */
export function Foot({ person, onVisit, onSignOut }: Props) {
  return (
    <div className="flex min-h-11 items-center gap-2 border-t border-line px-3 pb-[env(safe-area-inset-bottom)]">
      <Avatar person={person} />
      <span dir="auto" className="min-w-0 flex-1 truncate text-ui font-medium">
        {person.name}
      </span>
      <LineState />
      <Suspense fallback={<span className="target" />}>
        <AccountMenu onSignOut={onSignOut} onVisit={onVisit} />
      </Suspense>
    </div>
  );
}

function LineState() {
  const kind = useWorkspaceState((s) => s.link.kind);
  const signal = kind === "open" ? "ready" : kind === "connecting" ? "running" : "failed";
  const workspace = useWorkspace();
  const name = t(kind === "open" ? "line.live" : kind === "connecting" ? "line.connecting" : "line.lost");
  return (
    <span className="flex items-center gap-1.5 text-small text-ink-3">
      <Glyph signal={signal} size={11} name={name} />
      {kind === "lost" ? (
        <Button look="ghost" title={name} onClick={() => workspace.tryNow()}>
          {t("lost.try")}
        </Button>
      ) : (
        <span aria-hidden="true">{name}</span>
      )}
    </span>
  );
}
