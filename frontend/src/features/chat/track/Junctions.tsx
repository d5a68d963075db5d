import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { clsx } from "clsx";
import { ArrowUpRight, ChevronDown, ChevronRight } from "lucide-react";
import { Suspense, useId, useState } from "react";
import { clockTime, shortDate } from "../../../messages/format";
import { t } from "../../../messages/t";
import { Glyph, type Signal } from "../../../ui/Glyph";
import { useNow } from "../../../ui/useNow";
import type { ChatSummary, Cut, ForkRef } from "../../../wire/types";
import { outlineQuery } from "../../../api/outline";
import { signalOf, stateWords, useWorkspaceState } from "../../chats";
import { cutsAfter, ownPrompts } from "./outline.logic";
import { useOutline } from "./useOutline";
import { fetched } from "../../../ui/fetched";

const CutBox = fetched(() => import("./CutBox"));

/**
 * Where the line parts after the answer to a prompt: chats that were forked there, and attempts that
 * were rewound. Without a run: what was taken out from the beginning. The prompt need not be held.
 */
export function Junctions({ run }: { run: string | null }) {
  const { outline, stops } = useOutline();
  const stop = run === null ? null : stops.find((one) => one.run === run);
  if (stop === undefined) return null;
  const forks = stop?.forks ?? [];
  const cuts = cutsAfter(outline, stops, stop?.seq ?? null);
  if (forks.length === 0 && cuts.length === 0) return null;
  return (
    <ul aria-label={t("junctions")} className="flex flex-col gap-1.5 pt-1">
      {forks.map((fork) => (
        <ForkChip key={fork.chat} fork={fork} />
      ))}
      {cuts.map((cut) => (
        <CutChip key={cut.epoch} cut={cut} />
      ))}
    </ul>
  );
}

const chip =
  "target inline-flex max-w-full items-center gap-2 rounded-1 border border-line-2 bg-sunken px-2 text-small text-ink-2 hover:bg-hover";

function Curve({ dashed }: { dashed: boolean }) {
  return (
    <svg aria-hidden="true" className="junction" viewBox="0 0 46 22" fill="none">
      <path
        d="M1 0v6c0 9 5 13 14 13h31"
        stroke="var(--line-3)"
        strokeWidth="2"
        {...(dashed ? { strokeDasharray: "3 3" } : {})}
      />
    </svg>
  );
}

/** What a chip says in words beside its glyph: what goes on, or waits for somebody. */
const loud: ReadonlySet<Signal> = new Set(["needs", "failed", "running", "held"]);

/** How many prompts a fork has of its own; null before that is known. */
function useOwnPrompts(chat: ChatSummary | undefined): number | null {
  const { data } = useQuery({
    ...outlineQuery(chat?.id ?? "", chat?.active),
    enabled: chat?.forkOf !== undefined,
  });
  return data === undefined || chat?.forkOf === undefined ? null : ownPrompts(chat, data).length;
}

function ForkChip({ fork }: { fork: ForkRef }) {
  const chat = useWorkspaceState((s) => s.chats.get(fork.chat));
  const title = (chat?.title ?? fork.title) || t("chat.untitled");
  const prompts = useOwnPrompts(chat);
  const words = [
    prompts === null ? t("junction.fork") : t("junction.fork.n", { n: prompts }),
    ...(chat !== undefined && loud.has(signalOf(chat)) ? [stateWords(chat).toLowerCase()] : []),
  ].join(", ");
  return (
    <li className="relative ps-4">
      <Curve dashed={false} />
      <Link to="/chats/$id" params={{ id: fork.chat }} className={chip}>
        {chat === undefined ? null : <Glyph signal={signalOf(chat)} size={12} name={stateWords(chat)} />}
        <span className="font-mono text-count">{clockTime(fork.created)}</span>
        <bdi className="min-w-0 truncate text-ink">{title}</bdi>
        <span className="whitespace-nowrap text-ink-3">{words}</span>
        <ArrowUpRight aria-hidden="true" size={12} />
      </Link>
    </li>
  );
}

function CutChip({ cut }: { cut: Cut }) {
  const id = useId();
  const now = useNow(60_000);
  const [open, setOpen] = useState(false);
  const Chevron = open ? ChevronDown : ChevronRight;
  return (
    <li className="relative ps-4" data-cut={cut.epoch}>
      <Curve dashed />
      <button
        type="button"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
        className={clsx(chip, "border-dashed text-start")}
      >
        <span className="font-mono text-count">{clockTime(cut.at)}</span>
        <bdi className="min-w-0 truncate">{cut.line}</bdi>
        <span className="whitespace-nowrap text-ink-3">{t("junction.cut", { n: cut.prompts })}</span>
        <Chevron aria-hidden="true" size={12} />
      </button>
      {open ? (
        <div id={id}>
          <Suspense fallback={null}>
            <CutBox
              cut={cut}
              note={t(cut.restorable ? "cut.until" : "cut.moved", { until: shortDate(cut.expires, now) })}
            />
          </Suspense>
        </div>
      ) : null}
    </li>
  );
}
