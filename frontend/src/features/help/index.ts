export { Help } from "./Help";
