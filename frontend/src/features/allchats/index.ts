export { AllChatsPage } from "./AllChatsPage";
