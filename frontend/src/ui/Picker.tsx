import { Select } from "@base-ui/react/select";
import { clsx } from "clsx";
import { Check, ChevronDown } from "lucide-react";
import type { ReactNode } from "react";

type PickerItem = {
  readonly value: string;
  readonly name: string;
  readonly note?: string;
  /** Why it cannot be chosen now. */
  readonly unavailable?: string;
};

export type PickerGroup = { readonly label: string; readonly items: readonly PickerItem[] };

type Props = {
  label: string;
  value: string;
  groups: readonly PickerGroup[];
  onPick: (value: string) => void;
  /** What the closed picker shows beside the value's name. */
  lead?: ReactNode;
  trail?: ReactNode;
};

/** One choice out of a few, in a list that opens. */
export function Picker({ label, value, groups, onPick, lead, trail }: Props) {
  const items = groups.flatMap((g) => g.items);
  const chosen = items.find((i) => i.value === value);
  return (
    <Select.Root<string>
      value={value}
      onValueChange={(next) => {
        if (next !== null) onPick(next);
      }}
      items={items.map((i) => ({ value: i.value, label: i.name }))}
    >
      <Select.Trigger
        aria-label={`${label}: ${chosen?.name ?? value}`}
        className="target inline-flex min-w-0 items-center gap-1.5 rounded-2 px-1.5 text-small text-ink-2 hover:bg-hover data-popup-open:bg-hover"
      >
        {lead}
        <span className="truncate font-semibold text-ink">{chosen?.name ?? value}</span>
        {trail}
        <ChevronDown aria-hidden="true" size={12} className="text-ink-3" />
      </Select.Trigger>
      <Select.Portal>
        <Select.Positioner
          side="top"
          align="start"
          sideOffset={6}
          alignItemWithTrigger={false}
          className="z-(--z-menu)"
        >
          <Select.Popup className="opens max-h-(--available-height) max-w-(--available-width) min-w-56 overflow-y-auto rounded-3 border border-line-2 bg-raised p-1 shadow-3 outline-none">
            <Select.List>
              {groups.map((group) => (
                <Select.Group key={group.label}>
                  <Select.GroupLabel className="px-2 pt-2 pb-1 text-caption font-semibold text-ink-3">
                    {group.label}
                  </Select.GroupLabel>
                  {group.items.map((item) => (
                    <PickerOption key={item.value} item={item} />
                  ))}
                </Select.Group>
              ))}
            </Select.List>
          </Select.Popup>
        </Select.Positioner>
      </Select.Portal>
    </Select.Root>
  );
}

function PickerOption({ item }: { item: PickerItem }) {
  const note = item.unavailable ?? item.note;
  return (
    <Select.Item
      value={item.value}
      disabled={item.unavailable !== undefined}
      className="target flex items-center gap-2 rounded-2 px-2 py-1 text-ui outline-none data-highlighted:bg-hover"
    >
      <span className="w-4">
        <Select.ItemIndicator>
          <Check size={14} />
        </Select.ItemIndicator>
      </span>
      <span className="flex min-w-0 flex-col">
        <Select.ItemText
          className={clsx("truncate", item.unavailable === undefined ? "font-medium" : "text-ink-3")}
        >
          {item.name}
        </Select.ItemText>
        {note === undefined ? null : <span className="text-small text-ink-3">{note}</span>}
      </span>
    </Select.Item>
  );
}
