import { Frame } from "../features/session";
import { t } from "../messages/t";
import { Button } from "../ui/Button";

/** The server does not answer, or the page itself has failed. */
export function Unreachable() {
  return (
    <Frame title={t("unreachable.title")} body={t("unreachable.body")}>
      <Button look="primary" className="mt-5" onClick={() => location.reload()}>
        {t("reload")}
      </Button>
    </Frame>
  );
}
