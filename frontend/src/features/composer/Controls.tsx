import { ChevronDown } from "lucide-react";
import { type ReactNode, type RefObject, Suspense } from "react";
import { t } from "../../messages/t";
import type { Agent, Choice, Selection } from "../../wire/types";
import type { Chosen } from "./composer.logic";
import { fetched } from "../../ui/fetched";

const ModelMenu = fetched(() => import("./ModelMenu"));

type Props = {
  agents: readonly Agent[];
  chosen: Chosen;
  onChoose: (part: Selection) => void;
  open: boolean;
  onOpen: (open: boolean) => void;
  button: RefObject<HTMLButtonElement | null>;
};

/**
 * Who answers, with which model and how hard it tries: what the agent offers, and no more. All of it is
 * chosen in one menu; where there is little room only the model stands here.
 */
export function Controls({ agents, chosen, onChoose, open, onOpen, button }: Props) {
  const { agent, selection } = chosen;
  if (agent === null) return <span className="text-small text-ink-3">{t("agents.none")}</span>;
  const { info } = agent;
  const model = info.models.find((m) => m.value === selection.model)?.name ?? t("model.default");
  const effort = nameOf(info.efforts, selection.effort);
  const tier = nameOf(info.tiers, selection.tier);
  const toggle = () => onOpen(!open);
  return (
    <>
      <Trigger
        button={button}
        open={open}
        onToggle={toggle}
        label={t("model")}
        className="inline-flex min-w-11 max-w-fit grow basis-11 @min-[30rem]:min-w-0 @min-[30rem]:max-w-none @min-[30rem]:grow-0 @min-[30rem]:basis-auto"
      >
        <span className="hidden truncate @min-[30rem]:inline">{info.name}</span>
        <span className="truncate font-semibold text-ink">{model}</span>
        {selection.effort === undefined || effort === "" ? null : (
          <span className="truncate @min-[34rem]:hidden">{effort}</span>
        )}
      </Trigger>
      {effort === "" ? null : (
        <Trigger
          open={open}
          onToggle={toggle}
          label={t("effort")}
          className="hidden @min-[34rem]:inline-flex"
        >
          <span aria-hidden="true" className="hidden @min-[40rem]:inline">
            {t("effort")}
          </span>
          <span className="font-semibold text-ink">{effort}</span>
        </Trigger>
      )}
      {tier === "" ? null : (
        <Trigger open={open} onToggle={toggle} label={t("tier")} className="hidden @min-[44rem]:inline-flex">
          <span aria-hidden="true">{t("tier")}</span>
          <span className="font-semibold text-ink">{tier}</span>
        </Trigger>
      )}
      {open ? (
        <Suspense fallback={null}>
          <ModelMenu
            agents={agents}
            chosen={chosen}
            title={t("model.title")}
            anchor={button}
            onChoose={onChoose}
            onClose={() => onOpen(false)}
          />
        </Suspense>
      ) : null}
    </>
  );
}

/** The name of what is chosen; empty where there is nothing to choose. */
function nameOf(choices: readonly Choice[], value: string | undefined): string {
  if (choices.length === 0) return "";
  return choices.find((c) => c.value === value)?.name ?? t("choice.default");
}

type TriggerProps = {
  button?: RefObject<HTMLButtonElement | null>;
  open: boolean;
  onToggle: () => void;
  label: string;
  className: string;
  children: ReactNode;
};

function Trigger({ button, open, onToggle, label, className, children }: TriggerProps) {
  return (
    <button
      ref={button}
      type="button"
      aria-haspopup="dialog"
      aria-expanded={open}
      onClick={onToggle}
      className={`target ${className} items-center gap-1.5 rounded-2 px-1.5 text-small text-ink-2 @max-[30rem]:px-0.5 hover:bg-hover aria-expanded:bg-hover`}
    >
      <span className="sr-only">{label}: </span>
      {children}
      <ChevronDown aria-hidden="true" size={12} className="text-ink-3" />
    </button>
  );
}
