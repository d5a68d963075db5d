import { useId, type ComponentProps } from "react";

type Props = ComponentProps<"input"> & { label: string; hint?: string; error?: string };

/** A labelled text field; an error stands under it and is tied to it. */
export function Field({ label, hint, error, ...rest }: Props) {
  const id = useId();
  const note = error ?? hint;
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-ui font-medium">
        {label}
      </label>
      <input
        id={id}
        aria-invalid={error !== undefined}
        aria-describedby={note === undefined ? undefined : `${id}-note`}
        className="min-h-[max(2.25rem,var(--target))] w-full rounded-2 border border-line-3 bg-raised px-3 py-1 text-field aria-invalid:border-stop-dot"
        {...rest}
      />
      {note === undefined ? null : (
        <p
          id={`${id}-note`}
          className={error === undefined ? "text-small text-ink-3" : "text-small text-stop"}
        >
          {note}
        </p>
      )}
    </div>
  );
}
