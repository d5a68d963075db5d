import { Link } from "@tanstack/react-router";
import { GitFork } from "lucide-react";
import { t } from "../../../messages/t";
import type { Origin, Person } from "../../../wire/types";
import { useWorkspaceState } from "../../chats";

/** Under the header of a fork: which chat it left, and the way there. */
export function ForkLine({ origin, by }: { origin: Origin; by: Person }) {
  const now = useWorkspaceState((s) => s.chats.get(origin.chat)?.title);
  const title = (now ?? origin.title ?? "") || t("chat.untitled");
  return (
    <p className="flex min-h-8 items-center gap-2 border-b border-line bg-sunken px-3 text-small text-ink-2 sm:px-5">
      <GitFork aria-hidden="true" size={14} className="text-ink-3" />
      <span className="min-w-0 flex-1 truncate">
        {t("fork.from")}{" "}
        {now === undefined ? (
          <bdi>{title}</bdi>
        ) : (
          <Link
            to="/chats/$id"
            params={{ id: origin.chat }}
            hash={`e${origin.seq}`}
            className="font-semibold text-accent"
          >
            <bdi>{title}</bdi>
          </Link>
        )}
      </span>
      <bdi className="max-w-40 truncate text-ink-3">{by.name}</bdi>
    </p>
  );
}
