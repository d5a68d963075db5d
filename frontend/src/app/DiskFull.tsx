import { useQuery } from "@tanstack/react-query";
import { healthQuery } from "../api/queries";
import { t } from "../messages/t";

/** Says, as long as it is so, that nothing can be saved. */
export function DiskFull() {
  const { data } = useQuery(healthQuery);
  return data?.disk === "full" ? (
    <p role="alert" className="border-b border-line bg-raised px-4 py-2 text-small text-stop">
      {t("disk.full")}
    </p>
  ) : null;
}
