import { call } from "./http";

/** What a person chose for themselves, in every browser. */
export type Settings = { readonly continueAtReset: boolean; readonly enterSends: boolean };

export const settings = () => call<Settings>("GET", "/api/me/settings");
export const changeSettings = (part: Partial<Settings>) => call<Settings>("PATCH", "/api/me/settings", part);
