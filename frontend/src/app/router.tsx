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
      throw redirect({ to: "/login", search: location.pathname === "/" ? {} : { next: location.pathname } });
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

const chat = createRoute({
  getParentRoute: () => inside,
  path: "/chats/$id",
  component: lazyRouteComponent(() => import("./ChatRoute"), "ChatRoute"),
});

export function makeRouter(client: QueryClient) {
  return createRouter({
    routeTree: root.addChildren([setup, login, inside.addChildren([home, chat])]),
    context: { client },
    defaultPreload: false,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
