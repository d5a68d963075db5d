export { ChatList } from "./ChatList";
export { inOrder, nextThatNeeds, signalOf, sorted, stateWords, titleOf } from "./chats.logic";
export { useChats, useWorkspace, useWorkspaceState, WorkspaceContext } from "./context";
export { RecentChats } from "./RecentChats";
export { TitleField } from "./TitleField";
export { chatActs, useChatHands } from "./useChatActs";
export { useTab } from "./useTab";
