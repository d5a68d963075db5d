import { Link } from "@tanstack/react-router";
import { clsx } from "clsx";
import type { ReactNode } from "react";
import { t } from "../messages/t";

/** A page or a chat that is not there. */
export function Missing({ what, menu }: { what: "page" | "chat"; menu?: ReactNode }) {
  return (
    <main className={clsx("flex flex-col", what === "page" ? "min-h-dvh" : "h-full")}>
      {menu === undefined ? null : <div className="flex min-h-12 items-center px-2 sm:px-5">{menu}</div>}
      <div className="m-auto max-w-96 p-8 text-center">
        <h1 className="text-title font-semibold">{t(`missing.${what}`)}</h1>
        <p className="mt-1 text-ui text-ink-2">{t(`missing.${what}.body`)}</p>
        <p className="mt-4">
          <Link to="/" className="target inline-flex items-center text-ui font-medium text-accent underline">
            {t("missing.act")}
          </Link>
        </p>
      </div>
    </main>
  );
}
