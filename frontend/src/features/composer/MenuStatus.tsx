import { t } from "../../messages/t";
import type { FieldMenu as Menu } from "./useFieldMenu";

/** Says to those who do not see it what is offered. */
export function MenuStatus({ menu }: { menu: Menu }) {
  const { open, offers, note } = menu;
  return (
    <span aria-live="polite" className="sr-only">
      {open ? [offers.length > 0 ? t("offer.count", { n: offers.length }) : "", note].join(" ").trim() : ""}
    </span>
  );
}
