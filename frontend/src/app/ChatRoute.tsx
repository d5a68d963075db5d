import { useLocation, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { ChatPage, type View } from "../features/chat";
import { Missing } from "./Missing";
import { useMenuButton } from "./Shell";

/** "e123" names an event. */
function eventOf(hash: string): number | null {
  const seq = /^e(\d{1,15})$/.exec(hash)?.[1];
  return seq === undefined ? null : Number(seq);
}

/** The page of one chat. */
export function ChatRoute() {
  const { id } = useParams({ from: "/inside/chats/$id" });
  const { panel } = useSearch({ from: "/inside/chats/$id" });
  const event = useLocation({ select: (location) => eventOf(location.hash) });
  const navigate = useNavigate();
  const menu = useMenuButton();
  const view = useMemo(
    (): View => ({
      event,
      panel: panel ?? null,
      openPanel: (next) =>
        void navigate({
          to: "/chats/$id",
          params: { id },
          search: next === null ? {} : { panel: next },
          hash: true,
          replace: true,
        }),
    }),
    [event, panel, id, navigate],
  );
  return (
    <ChatPage
      id={id}
      view={view}
      menu={menu}
      missing={<Missing what="chat" menu={menu} />}
      onSignIn={() => void navigate({ to: "/login", search: { next: location.pathname, over: true } })}
    />
  );
}
