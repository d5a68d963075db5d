export { ChatPage } from "./ChatPage";
