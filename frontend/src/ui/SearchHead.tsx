import { Search } from "lucide-react";
import type { ComponentProps } from "react";
import { t } from "../messages/t";

/** The box of a layer that finds things: it lies over the page, near its top. */
export const searchBox =
  "opens fixed top-[12dvh] left-1/2 z-(--z-dialog) flex max-h-[70dvh] w-[min(35rem,calc(100vw-1rem))] -translate-x-1/2 flex-col overflow-hidden rounded-5 border border-line-2 bg-raised shadow-3";

/** The head of such a layer: the field in which one types. */
export function SearchHead(field: ComponentProps<"input">) {
  return (
    <div className="flex items-center gap-3 border-b border-line px-4 focus-within:border-accent">
      <Search aria-hidden="true" size={16} className="text-ink-3" />
      <input
        type="text"
        dir="auto"
        {...field}
        className="min-h-12 min-w-0 flex-1 bg-transparent text-field outline-none"
      />
      <kbd className="font-mono text-count text-ink-3 max-sm:hidden">{t("key.esc")}</kbd>
    </div>
  );
}
