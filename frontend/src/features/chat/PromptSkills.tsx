import { t } from "../../messages/t";

/** The skills that a prompt was sent with. */
export function PromptSkills({ skills = [] }: { skills?: readonly string[] | undefined }) {
  if (skills.length === 0) return null;
  return (
    <ul aria-label={t("skills.list")} className="mt-1 flex w-full flex-wrap gap-2">
      {skills.map((name) => (
        <li
          key={name}
          className="max-w-full truncate rounded-1 bg-accent-bg px-1.5 font-mono text-code text-accent"
        >
          ${name}
        </li>
      ))}
    </ul>
  );
}
