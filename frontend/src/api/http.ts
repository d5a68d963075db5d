import type { Fault, Problem } from "../wire/types";

/** What the server answers when it does not do what was asked, or that it did not answer. */
export class ApiError extends Error {
  /** 0 when there was no answer. */
  readonly status: number;
  readonly fault: Fault;
  /** How long to wait before the next try, in seconds, where the server says so. */
  readonly retryAfter: number | null;

  constructor(status: number, fault: Fault, retryAfter: number | null) {
    super(fault.message);
    this.status = status;
    this.fault = fault;
    this.retryAfter = retryAfter;
  }
}

function isProblem(value: unknown): value is Problem {
  return typeof value === "object" && value !== null && "code" in value && "detail" in value;
}

/** The answers are the generated types' word: the server that served the page is of the same build. */
function isAnswer<T>(_value: unknown): _value is T {
  return true;
}

async function failure(response: Response): Promise<ApiError> {
  const wait = Number(response.headers.get("Retry-After"));
  const retryAfter = Number.isFinite(wait) && wait > 0 ? wait : null;
  const problem: unknown = await response.json().catch(() => null);
  const fault: Fault = isProblem(problem)
    ? {
        code: problem.code,
        message: problem.detail,
        ...(problem.hint === undefined ? {} : { hint: problem.hint }),
        ...(problem.run === undefined ? {} : { run: problem.run }),
      }
    : { code: response.status === 401 ? "unauthorized" : "internal", message: "" };
  return new ApiError(response.status, fault, retryAfter);
}

function request(method: string, body: unknown): RequestInit {
  if (body === undefined) return { method, credentials: "same-origin" };
  const headers = { "Content-Type": "application/json" };
  return { method, credentials: "same-origin", headers, body: JSON.stringify(body) };
}

/** Calls the server's API. Throws an ApiError for every outcome but success. */
export async function call<T>(
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
  body?: unknown,
  keepalive = false,
): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, { ...request(method, body), keepalive });
  } catch {
    throw new ApiError(0, { code: "unavailable", message: "" }, null);
  }
  if (!response.ok) throw await failure(response);
  const text = await response.text();
  const value: unknown = text === "" ? null : JSON.parse(text);
  if (!isAnswer<T>(value)) throw new ApiError(response.status, { code: "internal", message: "" }, null);
  return value;
}
