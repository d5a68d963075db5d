import { useId } from "react";

type Props = { label: string; note: string; on: boolean; onChange: (on: boolean) => void };

/** A setting that is on or off. */
export function Switch({ label, note, on, onChange }: Props) {
  const id = useId();
  return (
    <div className="relative flex items-start gap-3 py-2">
      <span className="min-w-0">
        <label htmlFor={id} className="block text-ui font-medium after:absolute after:inset-0">
          {label}
        </label>
        <span id={`${id}-note`} className="block text-small text-ink-2">
          {note}
        </span>
      </span>
      <input
        id={id}
        type="checkbox"
        role="switch"
        checked={on}
        aria-checked={on}
        aria-describedby={`${id}-note`}
        onChange={(event) => onChange(event.target.checked)}
        className="tick relative order-first mt-0.5"
      />
    </div>
  );
}
