import { clsx } from "clsx";
import type { ReactNode } from "react";
import { t } from "../../../messages/t";
import type { QuestionItem } from "../../../wire/types";
import { plainText } from "../../toolcall";
import type { Page } from "./ask.logic";

type Props = {
  item: QuestionItem;
  page: Page;
  name: string;
  disabled: boolean;
  onPick: (option: number) => void;
  onChange: (page: Page) => void;
};

/** The choices of one question, and own words as the last of them. */
export function Options({ item, page, name, disabled, onPick, onChange }: Props) {
  const multi = item.multiSelect === true;
  const other = item.options.length;
  const free = other === 0;
  return (
    <fieldset className="flex min-w-0 flex-col gap-2" disabled={disabled}>
      <legend className="mb-2">
        <span dir="auto" className="block text-heading font-semibold wrap-anywhere">
          {plainText(item.question)}
        </span>
        <span className="block text-small text-ink-2">
          {t(free ? "ask.free" : multi ? "ask.any" : "ask.one")}
        </span>
      </legend>
      {item.options.map((option, i) => (
        <Option
          key={option.label}
          name={name}
          multi={multi}
          checked={page.chosen.includes(option.label)}
          number={i + 1}
          label={plainText(option.label)}
          note={plainText(option.description ?? "")}
          onPick={() => onPick(i)}
        />
      ))}
      <Option
        name={name}
        multi={multi}
        checked={page.other}
        number={other + 1}
        label={t("ask.other")}
        note={page.other ? "" : t("ask.other.hint")}
        onPick={() => onPick(other)}
      >
        {page.other ? (
          <input
            dir="auto"
            value={page.text}
            maxLength={8000}
            // Choosing one's own words is the wish to write them.
            autoFocus
            aria-label={t("ask.other.hint")}
            onChange={(event) => onChange({ ...page, text: event.target.value })}
            className="w-full rounded-2 border border-line-3 bg-raised px-2.5 py-1 text-field"
          />
        ) : null}
      </Option>
    </fieldset>
  );
}

type OptionProps = {
  name: string;
  multi: boolean;
  checked: boolean;
  number: number;
  label: string;
  note: string;
  onPick: () => void;
  children?: ReactNode;
};

function Option({ name, multi, checked, number, label, note, onPick, children }: OptionProps) {
  return (
    <div
      className={clsx(
        "rounded-3 border",
        checked ? "border-ink outline outline-ink" : "border-line-3 hover:bg-hover",
      )}
    >
      <label className="flex items-start gap-3 px-3 py-2.5 max-sm:py-3">
        <input
          type={multi ? "checkbox" : "radio"}
          name={name}
          data-option
          checked={checked}
          onChange={onPick}
          className="tick mt-0.5"
        />
        <span dir="auto" className="min-w-0 flex-1 wrap-anywhere">
          <span className="block text-ui font-semibold">{label}</span>
          {note === "" ? null : <span className="block text-small text-ink-2">{note}</span>}
        </span>
        {number > 9 ? null : (
          <kbd aria-hidden="true" className="hidden pt-0.5 font-mono text-count text-ink-3 sm:inline">
            {number}
          </kbd>
        )}
      </label>
      {children === null || children === undefined ? null : (
        <div className="ps-10 pe-3 pb-2.5">{children}</div>
      )}
    </div>
  );
}
