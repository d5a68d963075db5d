import { firstCharacter } from "../text/characters";
import type { Person } from "../wire/types";

function hash(text: string): number {
  let h = 0;
  for (const c of text) h = (h * 31 + (c.codePointAt(0) ?? 0)) >>> 0;
  return h;
}

/** A person's initial on a colour of their own. */
export function Avatar({ person, size = 24 }: { person: Person; size?: number }) {
  const initial = firstCharacter(person.name.trim()).toLocaleUpperCase() || "?";
  return (
    <span
      aria-hidden="true"
      className="inline-flex flex-none items-center justify-center rounded-full text-caption font-semibold"
      style={{
        width: size,
        height: size,
        // The avatars are dark in both themes, so the letter is always white.
        color: "white",
        background: `var(--av${(hash(person.id) % 6) + 1})`,
      }}
    >
      {initial}
    </span>
  );
}
