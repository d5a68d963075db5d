import type {
  AgentInfo,
  AgentList,
  ChatList,
  ChatSummary,
  EventPage,
  Fault,
  Health,
  Login,
  Me,
  NewChat,
  PromptCommand,
  PromptResult,
  RuleList,
  Setup,
  SetupState,
} from "../wire/types";
import { ApiError, call } from "./http";

export const setupState = () => call<SetupState>("GET", "/api/setup");
export const setUp = (body: Setup) => call<unknown>("POST", "/api/setup", body);
export const signIn = (body: Login) => call<unknown>("POST", "/api/login", body);
export const signOut = () => call<unknown>("POST", "/api/logout", {});
export const health = () => call<Health>("GET", "/api/health");
export const me = () => call<Me>("GET", "/api/me");
/** The agents of this daemon, and what it knows of whether they can run. */
export const agents = async () => listed(await call<AgentList>("GET", "/api/agents"));
/** The same, once it has looked again. */
export const checkAgents = async () => listed(await call<AgentList>("POST", "/api/agents/check"));

const listed = (list: AgentList): AgentList => ({
  agents: list.agents.map(({ info, status }) => ({ info: withLists(info), status })),
});

/** An empty list may come as nothing at all. */
function withLists(info: AgentInfo): AgentInfo {
  const { models, efforts, tiers, modes }: Partial<AgentInfo> = info;
  return { ...info, models: models ?? [], efforts: efforts ?? [], tiers: tiers ?? [], modes: modes ?? [] };
}
export const chats = () => call<ChatList>("GET", "/api/chats");
export const createChat = (body: NewChat) => call<ChatSummary>("POST", "/api/chats", body);
export const chat = (id: string) => call<ChatSummary>("GET", `/api/chats/${id}`);
export const markRead = (id: string) => call<unknown>("POST", `/api/chats/${id}/read`, {});

/** What people allowed for a chat. */
export const rules = (id: string) => call<RuleList>("GET", `/api/chats/${id}/rules`);
export const revokeRule = (id: string, rule: string) =>
  call<unknown>("DELETE", `/api/chats/${id}/rules/${encodeURIComponent(rule)}`);

/** The page of a chat's events before a position; "stale" when the log has changed since. */
export async function eventsBefore(id: string, before: string): Promise<EventPage | "stale"> {
  try {
    return await call<EventPage>("GET", `/api/chats/${id}/events?before=${before}&limit=200`);
  } catch (error) {
    if (error instanceof ApiError && error.fault.code === "stale_epoch") return "stale";
    throw error;
  }
}

/** Sends a prompt that is too long for the socket. */
export async function postPrompt(id: string, command: PromptCommand): Promise<PromptResult | Fault> {
  const { type: _type, id: _id, ...body } = command;
  try {
    return await call<PromptResult>("POST", `/api/chats/${id}/messages`, body);
  } catch (error) {
    if (error instanceof ApiError) return error.fault;
    throw error;
  }
}

/** Where a body lies that is too large for the log. */
export function blobUrl(chatId: string, sha256: string): string {
  return `/api/chats/${chatId}/blobs/${sha256}`;
}

/** The text of a body beside the log. */
export async function blobText(chatId: string, sha256: string): Promise<string> {
  const response = await fetch(blobUrl(chatId, sha256), { credentials: "same-origin" });
  if (!response.ok) throw new ApiError(response.status, { code: "unavailable", message: "" }, null);
  return response.text();
}

/** The address of a socket of the server that served the page. */
export function socketUrl(path: string): string {
  const url = new URL(path, location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url.href;
}
