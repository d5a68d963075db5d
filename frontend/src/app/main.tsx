import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ApiError } from "../api/http";
import "../styles/base.css";
import { makeRouter } from "./router";
import { followViewport } from "./viewport";

const client = new QueryClient({
  defaultOptions: {
    queries: {
      refetchOnWindowFocus: false,
      // An answer that is an error stays one; only silence is worth another try.
      retry: (count, error) => count < 2 && error instanceof ApiError && error.status === 0,
    },
  },
});

// A part of the page that is gone was replaced by a newer server: what is written is kept in the tab.
// Where no server answers there is nothing to load anew, and what is shown stays.
window.addEventListener("vite:preloadError", () => {
  fetch("/api/health").then(
    (answer) => {
      if (answer.ok) location.reload();
    },
    () => undefined,
  );
});

followViewport();

const root = document.getElementById("root");
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <RouterProvider router={makeRouter(client)} />
      </QueryClientProvider>
    </StrictMode>,
  );
}
