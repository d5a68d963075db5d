type Props<T> = {
  name: string;
  chosen: T;
  options: readonly { readonly value: T; readonly name: string }[];
  onChoose: (value: T) => void;
};

/** One of a few, side by side. */
export function Choice<T extends string | number>({ name, chosen, options, onChoose }: Props<T>) {
  return (
    <div
      role="group"
      aria-label={name}
      className="flex w-fit flex-wrap gap-0.5 rounded-2 border border-line-2 bg-sunken p-0.5"
    >
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === chosen}
          onClick={() => onChoose(option.value)}
          className="min-h-6 rounded-1 border border-transparent px-2 text-ui text-ink-2 hover:bg-hover aria-pressed:border-line-3 aria-pressed:bg-raised aria-pressed:font-medium aria-pressed:text-ink pointer-coarse:min-h-11"
        >
          {option.name}
        </button>
      ))}
    </div>
  );
}
