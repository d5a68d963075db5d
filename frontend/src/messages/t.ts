import en from "./en.json";

type Messages = typeof en;
export type Key = keyof Messages;

const plural = new Intl.PluralRules("en");

/** The text of a key. `{name}` stands for a value; a message with forms takes the one of `n`. */
export function t(key: Key, values: Readonly<Record<string, string | number>> = {}): string {
  const message: string | { readonly one: string; readonly other: string } = en[key];
  const form =
    typeof message === "string"
      ? message
      : plural.select(Number(values["n"])) === "one"
        ? message.one
        : message.other;
  return form.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : typeof value === "number" ? value.toLocaleString("en") : value;
  });
}
