export { RuleList } from "./ask";
export { ChatPage } from "./ChatPage";
export type { View } from "./useShown";
