import type { Settings, SettingsPatch } from "../wire/types";
import { call } from "./http";

/** What a person chose for themselves, in every browser. */
export const settings = () => call<Settings>("GET", "/api/me/settings");
export const changeSettings = (part: SettingsPatch) => call<Settings>("PATCH", "/api/me/settings", part);
