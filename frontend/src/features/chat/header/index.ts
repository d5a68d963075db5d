export { ChatHeader } from "./ChatHeader";
