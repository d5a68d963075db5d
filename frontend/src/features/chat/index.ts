export { ChatPage } from "./ChatPage";
export type { View } from "./useShown";
