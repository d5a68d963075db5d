import { clsx } from "clsx";
import { clockTime } from "../../../messages/format";
import { t } from "../../../messages/t";
import { Badge } from "../../../ui/Badge";
import { Button } from "../../../ui/Button";
import { Glyph } from "../../../ui/Glyph";
import { signalOf, stateWords, titleOf } from "../../chats";
import type { Row } from "./family.logic";
import { rowHeight } from "./Lines";

type Props = {
  row: Row;
  write: boolean;
  busy: boolean;
  onGo: () => void;
  /** Brings a rewound attempt back; only where that can be done from here. */
  onBack: (() => void) | undefined;
};

/** A prompt of the family, one of an attempt that was rewound, or a fork that has nothing of its own yet. */
export function ForkRow({ row, write, busy, onGo, onBack }: Props) {
  const { kind, chat, cut } = row;
  const text = kind === "empty" ? titleOf(chat) : row.line;
  const face = (
    <>
      <span className="font-mono text-count text-ink-3">{clockTime(row.at)}</span>
      <bdi className={clsx("min-w-0 flex-1 truncate text-start", row.own ? "text-ink" : "text-ink-3")}>
        {text}
      </bdi>
    </>
  );
  const look = "flex min-w-0 flex-1 items-center gap-2.5 rounded-2 px-2 text-ui";
  return (
    <li
      className={clsx("flex items-center gap-2 border-b border-line", row.here && "rounded-2 bg-selected")}
      style={{ height: rowHeight }}
    >
      {kind !== "cut" ? (
        <button
          type="button"
          aria-current={row.here}
          onClick={onGo}
          className={clsx(look, "-mb-px h-11 -outline-offset-2 hover:bg-hover")}
        >
          {face}
          {row.forked === undefined ? null : <Badge>{t("junction.fork.n", { n: row.forked })}</Badge>}
          {row.here ? <span className="text-small text-ink-2">{t("forks.here")}</span> : null}
          {!row.own && kind === "prompt" ? (
            <Glyph signal={signalOf(chat)} size={12} name={`${titleOf(chat)}: ${stateWords(chat)}`} />
          ) : null}
          {kind === "empty" ? <Badge>{t("junction.fork")}</Badge> : null}
        </button>
      ) : (
        <>
          <p className={look}>
            {face}
            {cut === undefined ? (
              <span className="sr-only">{t("forks.rewound")}</span>
            ) : (
              <Badge>{t("junction.cut", { n: cut.prompts })}</Badge>
            )}
          </p>
          {write && cut !== undefined && onBack !== undefined ? (
            <Button disabled={busy} onClick={onBack}>
              {t(cut.restorable ? "cut.back.short" : "cut.fork.short")}
            </Button>
          ) : null}
        </>
      )}
    </li>
  );
}
