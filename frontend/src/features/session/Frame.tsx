import type { ReactNode } from "react";
import { t } from "../../messages/t";
import { Mark } from "../../ui/Mark";

/** A page with one thing to do: a title, a body, one act. */
export function Frame({ title, body, children }: { title: string; body: ReactNode; children?: ReactNode }) {
  return (
    <main className="flex h-dvh flex-col items-center overflow-y-auto bg-rail px-4 py-8">
      <div className="my-auto w-full max-w-96">
        <p className="flex items-center gap-2 pb-6 text-heading font-semibold">
          <Mark size={24} />
          {t("product")}
        </p>
        <div className="rounded-5 border border-line-2 bg-raised p-6 shadow-2">
          <h1 className="text-title font-semibold">{title}</h1>
          <div className="mt-1 text-ui text-ink-2">{body}</div>
          {children}
        </div>
      </div>
    </main>
  );
}
