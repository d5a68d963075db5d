import { useEffect } from "react";
import { t } from "../../messages/t";
import { setFavicon } from "../../ui/favicon";
import type { ChatSummary } from "../../wire/types";
import { signalOf, tabTitle } from "./chats.logic";

/** The browser's tab says which chat this is and how it stands, as long as it is open. */
export function useTab(chat: ChatSummary): void {
  const title = tabTitle(chat);
  const signal = signalOf(chat);
  useEffect(() => {
    document.title = title;
  }, [title]);
  useEffect(() => setFavicon(signal), [signal]);
  useEffect(
    () => () => {
      document.title = t("product");
      setFavicon(null);
    },
    [],
  );
}
