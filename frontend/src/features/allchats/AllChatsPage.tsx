import { Link, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { t } from "../../messages/t";
import { ChatTable } from "./ChatTable";
import { TrashList } from "./TrashList";

const tab =
  "target inline-flex items-center rounded-2 px-3 thumb:px-2 text-ui text-ink-2 hover:bg-hover aria-[current=page]:bg-selected aria-[current=page]:font-medium aria-[current=page]:text-ink";

const exact = { exact: true, includeSearch: true } as const;

/** Every chat: those in use, those that are archived, and what lies in the trash. */
export function AllChatsPage() {
  const { view, unread } = useSearch({ from: "/inside/chats" });
  const title = t(view === "trash" ? "trash" : view === "archived" ? "chats.archived" : "chats.all");
  useEffect(() => {
    document.title = title;
    return () => {
      document.title = t("product");
    };
  }, [title]);
  return (
    <main id="content" tabIndex={-1} className="h-full overflow-y-auto outline-none">
      <div className="mx-auto w-full max-w-205 px-4 pt-2 pb-6 lg:pt-6">
        <h1 className="text-title font-semibold">{title}</h1>
        <nav aria-label={t("chats.views")} className="my-3 flex flex-wrap gap-1 thumb:gap-x-3">
          <Link to="/chats" activeOptions={exact} className={tab}>
            {t("chats.all")}
          </Link>
          <Link to="/chats" search={{ unread: true }} activeOptions={exact} className={tab}>
            {t("chats.unread")}
          </Link>
          <Link to="/chats" search={{ view: "archived" }} activeOptions={exact} className={tab}>
            {t("chats.archived")}
          </Link>
          <Link to="/chats" search={{ view: "trash" }} activeOptions={exact} className={tab}>
            {t("trash")}
          </Link>
        </nav>
        {view === "trash" ? (
          <TrashList />
        ) : (
          <ChatTable
            key={`${view ?? "all"} ${unread === true}`}
            archived={view === "archived"}
            unread={unread === true}
          />
        )}
      </div>
    </main>
  );
}
