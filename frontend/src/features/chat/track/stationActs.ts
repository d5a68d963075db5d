import { GitFork, Link, Pencil, Undo2 } from "lucide-react";
import { t } from "../../../messages/t";
import type { Act } from "../../../ui/ActionMenu";
import type { ForkAt } from "../../../api/outline";
import type { Stop } from "./outline.logic";

type Hands = {
  readonly forkAt: (at: ForkAt) => Promise<void>;
  readonly copyLink: (seq: number) => Promise<void>;
  readonly ask: () => void;
  readonly edit: () => void;
};

/**
 * What can be done at a station, in the words of where it cuts. Who can only read, can copy; a prompt
 * of which the whole text is not at hand cannot be edited.
 */
export function stationActs(
  stop: Stop,
  may: { readonly write: boolean; readonly running: boolean; readonly whole: boolean },
  hands: Hands,
): readonly Act[] {
  const { end } = stop;
  const copy: Act = {
    key: "link",
    name: t("station.link"),
    icon: Link,
    hint: "L",
    onAct: () => void hands.copyLink(stop.seq),
  };
  if (!may.write) return [copy];
  const busy = may.running ? { unable: t("station.busy") } : {};
  return [
    {
      key: "fork",
      name: t("station.fork"),
      icon: GitFork,
      hint: "F",
      ...(end === undefined ? { unable: t("station.unended") } : {}),
      onAct: () => {
        if (end !== undefined) void hands.forkAt({ after: end });
      },
    },
    {
      key: "rewind",
      name: t("station.rewind"),
      icon: Undo2,
      hint: "R",
      ...busy,
      onAct: hands.ask,
    },
    ...(may.whole
      ? [{ key: "edit", name: t("station.edit"), icon: Pencil, hint: "E", ...busy, onAct: hands.edit }]
      : []),
    copy,
  ];
}

/** What a fork and a rewind at this station leave out. */
export function stationNote(stop: Stop, stops: readonly Stop[]): string {
  const after = stops.filter((other) => other.seq > stop.seq).length;
  return [
    ...(stop.end === undefined || after === 0 ? [] : [t("station.fork.note", { n: after })]),
    t("station.rewind.note", { n: after + 1 }),
  ].join(" ");
}
