import { Suspense, useRef, useState } from "react";
import { Button } from "../../ui/Button";
import type { Agent, Selection } from "../../wire/types";
import { fetched } from "../../ui/fetched";

const ModelMenu = fetched(() => import("./ModelMenu"));

type Props = { label: string; agents: readonly Agent[]; onPick: (picked: Selection) => void };

const nothing = { agent: null, selection: {}, mode: "code", policy: null } as const;

/** A button that asks for a model, and does something with it. */
export function ModelButton({ label, agents, onPick }: Props) {
  const [open, setOpen] = useState(false);
  const picked = useRef<Selection | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    setOpen(false);
    const { current } = picked;
    picked.current = null;
    if (current !== null) onPick(current);
  };
  return (
    <>
      <Button ref={button} aria-haspopup="dialog" aria-expanded={open} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {open ? (
        <Suspense fallback={null}>
          <ModelMenu
            agents={agents}
            chosen={nothing}
            title={label}
            anchor={button}
            onChoose={(part) => (picked.current = part)}
            onClose={(done) => {
              // One that was only looked at is not meant.
              if (!done) picked.current = null;
              close();
            }}
            modelOnly
          />
        </Suspense>
      ) : null}
    </>
  );
}
