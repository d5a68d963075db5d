import { ChevronDown, Zap } from "lucide-react";
import { type RefObject, Suspense, useId } from "react";
import { t } from "../../messages/t";
import type { Mode, ModePolicy } from "../../wire/types";
import { modeNames, offeredModes } from "./composer.logic";
import { fetched } from "../../ui/fetched";

const ModeMenu = fetched(() => import("./ModeMenu"));

type Props = { mode: Mode; policies: readonly ModePolicy[]; onPick: (mode: Mode) => void };

/** The modes side by side, as one group of radio buttons. */
export function ModeSegments({ mode, policies, onPick }: Props) {
  const name = useId();
  return (
    <fieldset className="flex rounded-2 border border-line-3 bg-sunken">
      <legend className="sr-only">{t("mode")}</legend>
      {offeredModes(policies).map((m) => (
        <label
          key={m}
          className="inline-flex min-h-7 items-center gap-1 rounded-2 border border-transparent px-2.5 text-small text-ink-2 has-checked:border-line-3 has-checked:bg-raised has-checked:font-semibold has-checked:text-ink has-checked:shadow-1 has-focus-visible:outline-2 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            className="sr-only"
            name={name}
            value={m}
            checked={m === mode}
            onChange={() => onPick(m)}
          />
          {m === "full_auto" ? <Zap aria-hidden="true" size={12} /> : null}
          {t(modeNames[m])}
        </label>
      ))}
    </fieldset>
  );
}

type MenuProps = Props & {
  open: boolean;
  onOpen: (open: boolean) => void;
  /** Where the menu stands, and where the focus goes when it closes. */
  anchor: RefObject<HTMLElement | null>;
  button: RefObject<HTMLButtonElement | null>;
};

/** The same choice where there is no room for segments, and its menu, which a key opens at any width. */
export function ModePicker({ mode, policies, onPick, open, onOpen, anchor, button }: MenuProps) {
  return (
    <>
      <button
        ref={button}
        type="button"
        aria-haspopup="menu"
        aria-expanded={open}
        aria-label={t("mode.of", { mode: t(modeNames[mode]) })}
        onClick={() => onOpen(!open)}
        className="target inline-flex flex-none items-center gap-1.5 rounded-2 px-1.5 text-small @max-[30rem]:px-0.5 text-ink-2 hover:bg-hover aria-expanded:bg-hover @min-[30rem]:hidden short:inline-flex!"
      >
        {mode === "full_auto" ? <Zap aria-hidden="true" size={12} className="text-caution" /> : null}
        <span className="font-semibold text-ink">{t(modeNames[mode])}</span>
        <ChevronDown aria-hidden="true" size={12} className="text-ink-3" />
      </button>
      {open ? (
        <Suspense fallback={null}>
          <ModeMenu mode={mode} policies={policies} onPick={onPick} onOpen={onOpen} anchor={anchor} />
        </Suspense>
      ) : null}
    </>
  );
}
