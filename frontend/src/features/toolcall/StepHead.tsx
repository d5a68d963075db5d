import { ChevronDown, ChevronRight } from "lucide-react";
import type { ReactNode } from "react";

type Props = {
  icon: ReactNode;
  verb: string;
  target: string;
  open: boolean;
  onToggle: () => void;
  controls: string;
  children?: ReactNode;
  time: string;
};

/** The row of a step, which opens and closes it. */
export function StepHead({ icon, verb, target, open, onToggle, controls, children, time }: Props) {
  const Chevron = open ? ChevronDown : ChevronRight;
  return (
    <button
      type="button"
      aria-expanded={open}
      aria-controls={open ? controls : undefined}
      onClick={onToggle}
      className="target flex w-full items-center gap-2 px-3 py-1 text-start text-ui -outline-offset-2 hover:bg-hover"
    >
      {icon}
      <span className="flex-none font-medium">{verb}</span>
      <bdi dir="ltr" className="min-w-0 flex-1 truncate font-mono text-code text-ink-2" title={target}>
        {target}
      </bdi>
      {children}
      {time === "" ? null : <span className="flex-none font-mono text-count text-ink-3">{time}</span>}
      <Chevron aria-hidden="true" size={14} className="text-ink-3" />
    </button>
  );
}
