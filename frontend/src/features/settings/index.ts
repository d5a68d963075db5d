export { SettingsPage } from "./SettingsPage";
export { SettingsSidebar } from "./SettingsNav";
