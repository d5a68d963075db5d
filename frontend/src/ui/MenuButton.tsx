import { Ellipsis } from "lucide-react";
import { type ComponentProps, type ReactNode, Suspense, useRef, useState } from "react";
import type { Act } from "./ActionMenu";
import { IconButton } from "./Button";
import { fetched } from "./fetched";

const ActionMenu = fetched(() => import("./ActionMenu"));

type Props = Omit<ComponentProps<typeof IconButton>, "onClick" | "children"> & {
  /** What stands over the acts on a phone; the button's label where it is not given. */
  title?: string;
  acts: () => readonly (readonly Act[])[];
  children?: ReactNode;
};

/** A button that opens a menu, which is loaded when it is first wanted. */
export function MenuButton({ label, title, acts, children, ...rest }: Props) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  return (
    <>
      <IconButton
        ref={button}
        label={label}
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        {...rest}
      >
        {children ?? <Ellipsis aria-hidden="true" size={16} strokeWidth={1.75} />}
      </IconButton>
      {open ? (
        <Suspense fallback={null}>
          <ActionMenu label={title ?? label} groups={acts()} anchor={button} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
