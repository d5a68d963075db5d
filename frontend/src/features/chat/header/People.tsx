import { t } from "../../../messages/t";
import { Avatar } from "../../../ui/Avatar";
import { useChatState } from "../context";

const most = 3;

/** Who else has the chat open, and who of them is writing. */
export function People() {
  const people = useChatState((s) => s.people);
  const typing = useChatState((s) => s.typing);
  const me = useChatState((s) => s.me?.id ?? "");
  const others = people.filter((person) => person.id !== me);
  if (others.length === 0) return null;
  const writes = (id: string) => typing.some((person) => person.id === id);
  return (
    <ul
      aria-label={t("viewing", { n: others.length })}
      className="flex items-center ps-1.5 sm:me-2 sm:border-e sm:border-line-2 sm:pe-3"
    >
      {others.slice(0, most).map((person) => {
        const name = t(writes(person.id) ? "viewing.types" : "viewing.reads", { name: person.name });
        return (
          <li key={person.id} className="-ms-1.5">
            {/* What a pointer learns here, the keyboard can reach too. */}
            <span
              tabIndex={0}
              role="img"
              aria-label={name}
              data-tip={name}
              className="tip relative block rounded-full border-2 border-canvas"
            >
              <Avatar person={person} />
              {writes(person.id) ? (
                <span
                  aria-hidden="true"
                  className="absolute -end-0.5 -bottom-0.5 size-2.5 rounded-full border-2 border-canvas bg-caution-dot"
                />
              ) : null}
            </span>
          </li>
        );
      })}
      {others.length > most ? (
        <li
          className="ms-1 text-small text-ink-3"
          title={others
            .slice(most)
            .map((person) => person.name)
            .join(", ")}
        >
          +{others.length - most}
        </li>
      ) : null}
    </ul>
  );
}
