import { t } from "../messages/t";
import { Banner } from "../ui/Banner";
import { Button } from "../ui/Button";
import { useMissed } from "../ui/fetched";

/** Says that a part of the page is missing. When it is loaded anew, is up to the person. */
export function Updated() {
  return useMissed((s) => s.missed) ? (
    <Banner tone="accent" title={t("updated.part")} body={t("updated.part.body")}>
      <Button onClick={() => location.reload()}>{t("reload")}</Button>
    </Banner>
  ) : null;
}
