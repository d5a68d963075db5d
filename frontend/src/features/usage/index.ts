export { ChatUsage } from "./ChatUsage";
export { StoragePart } from "./StoragePart";
export { UsagePart } from "./UsagePart";
