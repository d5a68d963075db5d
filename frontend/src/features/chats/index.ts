export { ChatList, NeedsYou } from "./ChatList";
export { signalOf, tabTitle } from "./chats.logic";
export { useChats, useWorkspace, useWorkspaceState, WorkspaceContext } from "./context";
export { RecentChats } from "./RecentChats";
