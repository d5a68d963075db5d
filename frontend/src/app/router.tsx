import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import { ApiError } from "../api/http";
import { meQuery } from "../api/queries";
import { LoginPage, SetupPage } from "../features/session";
import { Missing } from "./Missing";
import { Unreachable } from "./Unreachable";

type Context = { readonly client: QueryClient };

const root = createRootRouteWithContext<Context>()({
  component: Outlet,
  notFoundComponent: () => <Missing what="page" />,
});

const setup = createRoute({ getParentRoute: () => root, path: "/setup", component: SetupPage });

type LoginSearch = { readonly next?: string; readonly over?: boolean };

const login = createRoute({
  getParentRoute: () => root,
  path: "/login",
  validateSearch: (search: Record<string, unknown>): LoginSearch => ({
    ...(typeof search["next"] === "string" ? { next: search["next"] } : {}),
    ...(search["over"] === true ? { over: true } : {}),
  }),
  component: function Login() {
    const { next, over } = login.useSearch();
    return <LoginPage next={next} over={over === true} />;
  },
});

/** Everything that only somebody who is signed in may see. */
const inside = createRoute({
  getParentRoute: () => root,
  id: "inside",
  beforeLoad: async ({ context, location }) => {
    try {
      await context.client.ensureQueryData(meQuery);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
      throw redirect({ to: "/login", search: location.href === "/" ? {} : { next: location.href } });
    }
  },
  component: lazyRouteComponent(() => import("./Shell"), "Shell"),
  errorComponent: Unreachable,
});

const home = createRoute({
  getParentRoute: () => inside,
  path: "/",
  component: lazyRouteComponent(() => import("../features/home"), "HomePage"),
});

type ChatsSearch = { readonly view?: "archived" | "trash"; readonly unread?: boolean };
type SearchSearch = {
  readonly q?: string;
  readonly chat?: string;
  readonly agent?: string;
  readonly dir?: string;
  readonly from?: string;
  readonly to?: string;
};
type ChatSearch = { readonly panel?: "forks" | "changes" | "usage" };

const chat = createRoute({
  getParentRoute: () => inside,
  path: "/chats/$id",
  validateSearch: ({ panel }: Record<string, unknown>): ChatSearch =>
    panel === "forks" || panel === "changes" || panel === "usage" ? { panel } : {},
  component: lazyRouteComponent(() => import("./ChatRoute"), "ChatRoute"),
});

const chats = createRoute({
  getParentRoute: () => inside,
  path: "/chats",
  validateSearch: (search: Record<string, unknown>): ChatsSearch => ({
    ...(search["view"] === "archived" || search["view"] === "trash" ? { view: search["view"] } : {}),
    ...(search["unread"] === true ? { unread: true } : {}),
  }),
  component: lazyRouteComponent(() => import("../features/allchats"), "AllChatsPage"),
});

const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);

const search = createRoute({
  getParentRoute: () => inside,
  path: "/search",
  validateSearch: (raw: Record<string, unknown>): SearchSearch => {
    const found = {
      q: text(raw["q"]),
      chat: text(raw["chat"]),
      agent: text(raw["agent"]),
      dir: text(raw["dir"]),
      from: text(raw["from"]),
      to: text(raw["to"]),
    };
    return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
  },
  component: lazyRouteComponent(() => import("../features/search"), "SearchPage"),
});

const settings = createRoute({
  getParentRoute: () => inside,
  path: "/settings/{-$part}",
  component: lazyRouteComponent(() => import("../features/settings"), "SettingsPage"),
});

export function makeRouter(client: QueryClient) {
  return createRouter({
    routeTree: root.addChildren([setup, login, inside.addChildren([home, chats, search, chat, settings])]),
    context: { client },
    defaultPreload: false,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
