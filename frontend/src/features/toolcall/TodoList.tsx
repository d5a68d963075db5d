import { Check } from "lucide-react";
import { t } from "../../messages/t";
import { Glyph } from "../../ui/Glyph";
import type { TodoItem } from "../../wire/types";

/** What the agent means to do, and how far it is. */
export function TodoList({ items }: { items: readonly TodoItem[] }) {
  return (
    <ul className="flex flex-col gap-1 px-3 py-2 text-ui">
      {items.map((item, i) => (
        <li key={i} className="flex items-start gap-3">
          <span className="flex h-5 w-3.5 items-center justify-center">
            {item.status === "completed" ? (
              <Check role="img" aria-label={t("task.done")} size={14} className="text-clear" />
            ) : (
              <Glyph
                signal={item.status === "in_progress" ? "running" : "rest"}
                name={t(item.status === "in_progress" ? "task.now" : "task.open")}
              />
            )}
          </span>
          <span
            dir="auto"
            className={
              item.status === "in_progress" ? "font-medium" : item.status === "completed" ? "text-ink-2" : ""
            }
          >
            {item.text}
          </span>
        </li>
      ))}
    </ul>
  );
}
