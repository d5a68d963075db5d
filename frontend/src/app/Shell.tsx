import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Outlet, type ParsedLocation, useNavigate, useRouterState } from "@tanstack/react-router";
import {
  createContext,
  Suspense,
  useCallback,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useState,
  type ReactNode,
} from "react";
import { clsx } from "clsx";
import { Menu as MenuIcon } from "lucide-react";
import { chats, me, signOut, socketUrl } from "../api/calls";
import { ApiError } from "../api/http";
import { meQuery } from "../api/queries";
import { WorkspaceContext } from "../features/chats";
import { closeDrafts, openDrafts } from "../features/composer";
import { WorkspaceStore } from "../live/workspace.store";
import { t } from "../messages/t";
import { IconButton } from "../ui/Button";
import { Toasts } from "../ui/Toasts";
import { DiskFull } from "./DiskFull";
import { useMedia } from "../ui/useMedia";
import { Foot } from "./Foot";
import { Keys } from "./Keys";
import { Sidebar } from "./Sidebar";
import { Updated } from "./Updated";
import { useSidebar } from "./sidebar.store";
import { fetched } from "../ui/fetched";

const Rail = fetched(() => import("./Rail"));
const Drawer = fetched(() => import("../ui/Drawer"));
const SettingsSidebar = fetched(() =>
  import("../features/settings").then((door) => ({ default: door.SettingsSidebar })),
);

const signedOut = 4500;

function makeWorkspace(): WorkspaceStore {
  const store: WorkspaceStore = new WorkspaceStore({
    url: () => socketUrl("/ws/workspace"),
    list: async () => (await chats()).chats,
    refused: () => {
      me().catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 401) store.end(signedOut);
      });
    },
  });
  return store;
}

const MenuButtonContext = createContext<ReactNode>(null);

/** The button that opens the sidebar where it is a drawer; pages put it into their header. */
export function useMenuButton(): ReactNode {
  return useContext(MenuButtonContext);
}

function inChatPanel({ pathname, search }: { pathname: string; search: object }): boolean {
  return pathname.startsWith("/chats/") && "panel" in search;
}

/** The frame of all pages of somebody who is signed in. */
export function Shell() {
  const { data } = useQuery(meQuery);
  const client = useQueryClient();
  const navigate = useNavigate();
  const [drawer, setDrawer] = useState(false);
  const [opened, setOpened] = useState(false);
  if (drawer && !opened) setOpened(true);
  const hasComposer = useRouterState({
    select: (s) => s.location.pathname === "/" || s.location.pathname.startsWith("/chats/"),
  });
  const target = hasComposer ? "composer" : "content";
  const outside = useRouterState({
    select: ({ location }) => (location.pathname.startsWith("/settings") ? null : location),
  });
  // Where the way out of the settings leads: whence the person came.
  const [back, setBack] = useState<ParsedLocation>();
  if (outside !== null && outside !== back) setBack(outside);
  const inChat = useRouterState({ select: (s) => s.location.pathname.startsWith("/chats/") });
  // Between these widths a panel leaves the sidebar no more than a rail.
  const tight = useMedia("(max-width: 1279.98px)");
  const beside = useMedia("(min-width: 1024px)");
  const panel = useRouterState({ select: (s) => inChatPanel(s.location) });
  const { rail, toggle } = useSidebar();
  const forced = panel && tight;
  const workspace = useMemo(() => makeWorkspace(), []);
  useEffect(() => {
    workspace.open();
    const wake = () => workspace.wake();
    const online = () => workspace.tryNow();
    document.addEventListener("visibilitychange", wake);
    window.addEventListener("online", online);
    return () => {
      document.removeEventListener("visibilitychange", wake);
      window.removeEventListener("online", online);
      workspace.close();
    };
  }, [workspace]);

  const newChat = useCallback(() => {
    setDrawer(false);
    void navigate({ to: "/" }).then(() => document.getElementById("composer")?.focus());
  }, [navigate]);
  const owner = data?.person.id ?? "";
  useLayoutEffect(() => {
    if (owner !== "") openDrafts(owner);
  }, [owner]);
  const leave = () => {
    void signOut().then(async () => {
      closeDrafts();
      await navigate({ to: "/login" });
      client.clear();
    });
  };
  if (data === undefined) return null;
  const places = {
    person: data.person,
    onVisit: () => setDrawer(false),
    onNewChat: newChat,
    onSignOut: leave,
  };
  const menuButton = (
    <IconButton label={t("menu")} className="lg:hidden" onClick={() => setDrawer(true)}>
      <MenuIcon aria-hidden="true" size={20} strokeWidth={1.75} />
    </IconButton>
  );
  return (
    <WorkspaceContext value={workspace}>
      <MenuButtonContext value={menuButton}>
        <Keys newChat={newChat} />
        <a
          href={`#${target}`}
          className="sr-only rounded-2 bg-ink px-3 py-2 text-ui text-on-ink focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-(--z-skip)"
          onClick={(event) => {
            event.preventDefault();
            document.getElementById(target)?.focus();
          }}
        >
          {t(hasComposer ? "skip" : "skip.content")}
        </a>
        <div className="flex h-(--view-height)">
          {beside && outside === null ? (
            <div className="w-66 flex-none border-e border-line bg-rail">
              <Suspense fallback={null}>
                <SettingsSidebar back={back} foot={<Foot {...places} />} />
              </Suspense>
            </div>
          ) : beside ? (
            <div className={clsx("flex-none border-e border-line bg-rail", rail || forced ? "w-13" : "w-66")}>
              {rail || forced ? (
                <Suspense fallback={null}>
                  <Rail
                    person={data.person}
                    onOpen={forced ? () => setDrawer(true) : toggle}
                    onNewChat={newChat}
                    onSignOut={leave}
                  />
                </Suspense>
              ) : (
                <Sidebar {...places} onFold={toggle} />
              )}
            </div>
          ) : null}
          {opened ? (
            <Suspense fallback={null}>
              <Drawer open={drawer && (!beside || forced)} onOpenChange={setDrawer}>
                <Sidebar {...places} />
              </Drawer>
            </Suspense>
          ) : null}
          <div className="flex min-w-0 flex-1 flex-col bg-canvas">
            {inChat ? null : (
              <header className="flex min-h-12 items-center px-2 lg:hidden">{menuButton}</header>
            )}
            <DiskFull />
            <Updated />
            <div className="min-h-0 flex-1">
              <Outlet />
            </div>
          </div>
        </div>
        <Toasts />
      </MenuButtonContext>
    </WorkspaceContext>
  );
}
