import { clsx } from "clsx";
import { X } from "lucide-react";
import { t } from "../../messages/t";
import { IconButton } from "../../ui/Button";

type Props = {
  skills: readonly string[];
  /** Those that the agent has; the others are not sent. */
  fit: readonly string[];
  agent: string;
  onRemove: (name: string) => void;
};

/** The skills that go with each prompt of the chat. */
export function SkillChips({ skills, fit, agent, onRemove }: Props) {
  if (skills.length === 0) return null;
  return (
    <ul
      aria-label={t("skills.list")}
      className="flex max-h-[20dvh] flex-wrap gap-2 overflow-y-auto px-3 pt-2"
    >
      {skills.map((name) => {
        const known = fit.includes(name);
        return (
          <li
            key={name}
            title={known ? undefined : t("skills.unknown", { agent })}
            className="flex max-w-full items-center rounded-2 border border-accent-line bg-accent-bg ps-2 text-accent"
          >
            <span className={clsx("truncate font-mono text-code", known || "line-through")}>${name}</span>
            {known ? null : <span className="sr-only">{t("skills.unknown", { agent })}</span>}
            <IconButton label={t("skills.remove", { name })} onClick={() => onRemove(name)}>
              <X aria-hidden="true" size={14} />
            </IconButton>
          </li>
        );
      })}
    </ul>
  );
}
