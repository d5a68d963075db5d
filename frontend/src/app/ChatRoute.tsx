import { useNavigate, useParams } from "@tanstack/react-router";
import { ChatPage } from "../features/chat";
import { Missing } from "./Missing";
import { useMenuButton } from "./Shell";

/** The page of one chat. */
export function ChatRoute() {
  const { id } = useParams({ from: "/inside/chats/$id" });
  const navigate = useNavigate();
  const menu = useMenuButton();
  return (
    <ChatPage
      id={id}
      menu={menu}
      missing={<Missing what="chat" menu={menu} />}
      onSignIn={() => void navigate({ to: "/login", search: { next: `/chats/${id}`, over: true } })}
    />
  );
}
