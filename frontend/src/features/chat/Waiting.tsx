import { X } from "lucide-react";
import type { Outgoing } from "../../live/outbox";
import { t } from "../../messages/t";
import { Glyph } from "../../ui/Glyph";
import { beginning } from "../../text/characters";

type Props = { items: readonly Outgoing[]; onWithdraw: (clientId: string) => void };

/** Prompts that wait for the line to come back; each can be taken back. */
export function Waiting({ items, onWithdraw }: Props) {
  if (items.length === 0) return null;
  return (
    <div className="flex flex-wrap items-center gap-2 pb-2">
      <span className="text-small font-medium text-ink-2">{t("waiting")}</span>
      <ul className="contents">
        {items.map((item) => (
          <li
            key={item.clientId}
            className="inline-flex max-w-full items-center gap-2 rounded-2 border border-line-2 bg-raised ps-2 text-small"
          >
            <Glyph signal="waiting" size={12} />
            <span dir="auto" className="max-w-80 truncate">
              {item.text}
            </span>
            <button
              type="button"
              aria-label={t("waiting.withdraw", { text: beginning(item.text, 60) })}
              onClick={() => onWithdraw(item.clientId)}
              className="target inline-flex items-center justify-center text-ink-3 hover:text-ink"
            >
              <X aria-hidden="true" size={14} />
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
