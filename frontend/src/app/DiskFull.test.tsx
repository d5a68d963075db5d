import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { healthQuery } from "../api/queries";
import { DiskFull } from "./DiskFull";

function show(disk: "full" | undefined) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  const health = { status: "ok", version: "1" } as const;
  client.setQueryData(healthQuery.queryKey, disk === undefined ? health : { ...health, disk });
  render(
    <QueryClientProvider client={client}>
      <DiskFull />
    </QueryClientProvider>,
  );
}

describe("a full disk", () => {
  it("is told on every page", () => {
    show("full");
    expect(screen.getByRole("alert").textContent).toMatch(/disk is full/);
  });

  it("is not told where there is room", () => {
    show(undefined);
    expect(screen.queryByRole("alert")).toBeNull();
  });
});
