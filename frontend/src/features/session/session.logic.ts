import { ApiError } from "../../api/http";
import { duration } from "../../messages/format";
import { t } from "../../messages/t";

export type SetupOutcome = "loading" | "form" | "none" | "used" | "expired";

/** Which of the set-up pages to show. */
export function setupOutcome(open: boolean | undefined, token: string, error: Error | null): SetupOutcome {
  if (error instanceof ApiError && error.fault.code === "conflict") return "used";
  if (error instanceof ApiError && error.fault.code === "forbidden") return "expired";
  if (open === false) return "used";
  if (open === undefined) return "loading";
  return token === "" ? "none" : "form";
}

/** The words for a sign-in that failed; `left` is how long to wait, in milliseconds. */
export function signInWords(error: Error | null, left: number): string {
  if (error === null) return "";
  if (!(error instanceof ApiError) || error.status === 0) return t("noanswer");
  if (error.fault.code === "rate_limited") {
    return left > 0
      ? t("signin.limited", { time: duration(Math.ceil(left / 1000) * 1000) })
      : t("signin.again");
  }
  if (error.fault.code === "unauthorized") return t("signin.wrong");
  return error.fault.message === "" ? t("noanswer") : error.fault.message;
}

/** Where to go after signing in: only a path of this page, never an address of elsewhere. */
export function nextPath(next: string | undefined): string {
  return next !== undefined && /^\/(?![/\\])/.test(next) ? next : "/";
}
