import { clsx } from "clsx";
import type { ComponentProps } from "react";

type Look = "primary" | "plain" | "ghost" | "stop" | "danger";

type Props = ComponentProps<"button"> & { look?: Look };

/** A button with words, or one with an icon and an accessible name. */
export function Button({ look = "plain", className, type = "button", ...rest }: Props) {
  return (
    <button
      type={type}
      data-look={look}
      // What a place adds to it wins over how buttons look.
      className={clsx("target button", className)}
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
