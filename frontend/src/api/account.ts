import { queryOptions } from "@tanstack/react-query";
import type {
  BrowserSessionList,
  MadeToken,
  NewToken,
  PasswordChange,
  Storage,
  TokenList,
  UsageReport,
} from "../wire/types";
import { call } from "./http";

/** Where the person is signed in, and what lets programs in. */
export const sessionsQuery = queryOptions({
  queryKey: ["sessions"],
  queryFn: () => call<BrowserSessionList>("GET", "/api/me/sessions"),
  staleTime: 0,
});
export const tokensQuery = queryOptions({
  queryKey: ["tokens"],
  queryFn: () => call<TokenList>("GET", "/api/me/tokens"),
  staleTime: 0,
});

export const revokeSession = (id: string) => call<unknown>("DELETE", `/api/me/sessions/${id}`);
export const revokeOthers = () => call<unknown>("DELETE", "/api/me/sessions");
export const makeToken = (token: NewToken) => call<MadeToken>("POST", "/api/me/tokens", token);
export const revokeToken = (id: string) => call<unknown>("DELETE", `/api/me/tokens/${id}`);
export const changePassword = (change: PasswordChange) => call<unknown>("POST", "/api/me/password", change);

/** What runs used, summed by something. */
export type UsageBy = "day" | "agent" | "model" | "person" | "chat" | "run";
export type UsageFor = { readonly by: UsageBy; readonly from?: string; readonly chat?: string };

export const usageQuery = (what: UsageFor) =>
  queryOptions({
    queryKey: ["usage", what],
    queryFn: () => {
      const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
      return call<UsageReport>("GET", `/api/usage?${new URLSearchParams({ ...what, zone }).toString()}`);
    },
    staleTime: 0,
    retry: false,
  });

export const storageQuery = queryOptions({
  queryKey: ["storage"],
  queryFn: () => call<Storage>("GET", "/api/storage"),
  staleTime: 0,
  retry: false,
});
/** Deletes for good what rewinds took out of a chat. */
export const dropRewound = (chat: string) => call<unknown>("DELETE", `/api/chats/${chat}/rewound`);
