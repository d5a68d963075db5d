import type { Person } from "../../wire/types";
import { t } from "../../messages/t";
import { useChatState } from "./context";

/** Who is writing, in words. */
export function typingWords(people: readonly Person[]): string {
  const [first, second] = people;
  if (first === undefined) return "";
  if (second === undefined) return t("typing.one", { name: first.name });
  if (people.length === 2) return t("typing.two", { name: first.name, other: second.name });
  return t("typing.more", { n: people.length });
}

/** Says who else is writing a prompt, over the end of the thread: nothing moves when it comes and goes. */
export function Typing() {
  const me = useChatState((s) => s.me?.id ?? "");
  const people = useChatState((s) => s.typing);
  const others = people.filter((p) => p.id !== me);
  return others.length === 0 ? null : (
    <div className="relative">
      <p
        dir="auto"
        className="pointer-events-none absolute start-0 bottom-1 max-w-full truncate rounded-1 bg-raised px-1 text-small text-ink-3"
      >
        {typingWords(others)}
      </p>
    </div>
  );
}
