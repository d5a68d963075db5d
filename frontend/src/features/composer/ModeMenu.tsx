import { Menu } from "@base-ui/react/menu";
import { Bug, Check, GitPullRequest, Map, MessageSquare, Pencil, Zap } from "lucide-react";
import type { KeyboardEvent, RefObject } from "react";
import { t } from "../../messages/t";
import { useReturnFocus } from "../../ui/useReturnFocus";
import type { Mode, ModePolicy } from "../../wire/types";
import { modeNames, offeredModes } from "./composer.logic";

const icons = {
  chat: MessageSquare,
  plan: Map,
  code: Pencil,
  review: GitPullRequest,
  debug: Bug,
  full_auto: Zap,
} as const;

type Props = {
  mode: Mode;
  policies: readonly ModePolicy[];
  onPick: (mode: Mode) => void;
  onOpen: (open: boolean) => void;
  anchor: RefObject<HTMLElement | null>;
};

/** The modes with what each lets the agent do; a digit picks one. */
export default function ModeMenu({ mode, policies, onPick, onOpen, anchor }: Props) {
  const modes = offeredModes(policies);
  useReturnFocus();
  const pick = (picked: Mode) => {
    onOpen(false);
    onPick(picked);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const picked = /^[1-9]$/.test(event.key) ? modes[Number(event.key) - 1] : undefined;
    if (picked === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    pick(picked);
  };
  return (
    <Menu.Root open onOpenChange={onOpen}>
      <Menu.Portal>
        <Menu.Positioner
          anchor={anchor}
          side="top"
          align="start"
          sideOffset={6}
          className="menu-place z-(--z-menu)"
        >
          <Menu.Popup
            aria-label={t("mode")}
            finalFocus={false}
            onKeyDownCapture={onKeyDown}
            className="opens max-h-(--available-height) w-93 max-w-(--available-width) overflow-y-auto rounded-3 border border-line-2 bg-raised p-1 shadow-3 outline-none"
          >
            <Menu.RadioGroup
              value={mode}
              onValueChange={(value: unknown) => {
                const picked = modes.find((m) => m === value);
                if (picked !== undefined) pick(picked);
              }}
            >
              {modes.map((m, i) => (
                <Item key={m} mode={m} number={i + 1} policy={policies.find((p) => p.mode === m)} />
              ))}
            </Menu.RadioGroup>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

type ItemProps = { mode: Mode; number: number; policy: ModePolicy | undefined };

function Item({ mode, number, policy }: ItemProps) {
  const Icon = icons[mode];
  return (
    <Menu.RadioItem
      value={mode}
      label={t(modeNames[mode])}
      className="target flex items-start gap-3 rounded-2 px-2 py-1.5 outline-none data-checked:bg-selected data-highlighted:bg-hover"
    >
      <Icon aria-hidden="true" size={16} strokeWidth={1.75} className="mt-0.5 text-ink-2" />
      <span className="min-w-0 flex-1">
        <span className="block text-ui font-semibold">{t(modeNames[mode])}</span>
        {policy === undefined ? null : (
          <span className="block text-small text-ink-2">
            {[policy.policy, policy.caveat ?? ""].join(" ").trim()}
          </span>
        )}
      </span>
      <Menu.RadioItemIndicator>
        <Check aria-hidden="true" size={14} className="mt-1" />
      </Menu.RadioItemIndicator>
      <kbd aria-hidden="true" className="hidden font-mono text-count text-ink-3 sm:inline">
        {number}
      </kbd>
    </Menu.RadioItem>
  );
}
