import { createContext } from "react";

/** The chat whose text is drawn: its own bodies may be shown as pictures. */
export const MarkdownChat = createContext("");
