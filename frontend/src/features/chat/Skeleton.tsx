import { type ReactNode, useEffect, useState } from "react";
import { t } from "../../messages/t";

/** The outline of a chat that is on its way; what comes sooner needs none. */
export function Skeleton({ menu }: { menu?: ReactNode }) {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 300);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="flex min-h-0 flex-1 flex-col" aria-busy="true">
      {menu === undefined ? null : (
        <div className="flex min-h-12 items-center border-b border-line px-2 sm:px-5">{menu}</div>
      )}
      {late ? (
        <div className="column py-4">
          <p className="sr-only">{t("loading")}</p>
          <div className="flex flex-col gap-3 border-s-2 border-line-2 ps-6">
            <div className="h-10 rounded-3 bg-hover" />
            <div className="h-4 w-3/5 rounded-1 bg-hover" />
          </div>
        </div>
      ) : null}
    </div>
  );
}
