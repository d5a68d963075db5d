import { clsx } from "clsx";
import type { ComponentProps } from "react";

type Look = "primary" | "plain" | "ghost" | "stop" | "danger";

const looks: Readonly<Record<Look, string>> = {
  primary: "border-ink bg-ink text-on-ink hover:opacity-90",
  plain: "border-line-3 bg-raised text-ink shadow-1 hover:bg-hover",
  ghost: "border-transparent bg-transparent text-ink-2 hover:bg-hover hover:text-ink",
  danger: "border-stop-fill bg-stop-fill text-on-stop hover:opacity-90",
  stop: "border-stop-line bg-raised text-stop shadow-1 hover:bg-stop-bg",
};

type Props = ComponentProps<"button"> & { look?: Look };

/** A button with words, or one with an icon and an accessible name. */
export function Button({ look = "plain", className, type = "button", ...rest }: Props) {
  return (
    <button
      type={type}
      className={clsx(
        "target inline-flex items-center justify-center gap-2 rounded-2 border px-3 text-ui font-medium whitespace-nowrap",
        "aria-disabled:opacity-60 disabled:opacity-60",
        looks[look],
        className,
      )}
      {...rest}
    />
  );
}

/** A square button that shows an icon; `label` is its name. */
export function IconButton({ label, className, look = "ghost", ...rest }: Props & { label: string }) {
  return (
    <Button look={look} aria-label={label} title={label} className={clsx("px-0", className)} {...rest} />
  );
}
