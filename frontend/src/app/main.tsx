import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ApiError } from "../api/http";
import "../styles/base.css";
import { makeRouter } from "./router";
import { onMissed } from "../ui/fetched";
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

// A newer server has no longer the parts that this page would load: what is written stays, and the person
// says when the page is loaded anew.
window.addEventListener("vite:preloadError", onMissed);

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
