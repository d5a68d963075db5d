import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createRef, useState } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { settingsQuery } from "../../api/queries";
import { filesQuery, skillsQuery } from "../../api/skills";
import type { Agent, SkillList } from "../../wire/types";
import { Composer, type Written } from "./Composer";
import { useDrafts } from "./draft.store";

const agent = (id: string, name: string): Agent => ({
  info: { id, name, models: [], efforts: [], tiers: [], modes: [] },
  status: { state: "ready" },
});
const claude = agent("claude", "Claude Code");
const codex = agent("codex", "Codex");

const pdf = { name: "pdf", description: "Reads PDF files", source: "host" } as const;
const deploy = { name: "deploy", source: "workspace" } as const;

beforeEach(() => {
  useDrafts.setState({ owner: "", drafts: {} });
  localStorage.clear();
  // Nothing is asked of a server but what stands in the cache already.
  vi.stubGlobal("fetch", () => Promise.reject(new Error("no server")));
});
afterEach(() => vi.unstubAllGlobals());

function draw(list: SkillList = { skills: [deploy, pdf] }, chosen: readonly string[] = []) {
  const onSend = vi.fn<(written: Written) => void>();
  const client = new QueryClient();
  client.setQueryData(settingsQuery.queryKey, { enterSends: true, continueAtReset: false, limits: {} });
  client.setQueryData(skillsQuery("claude", "c_1").queryKey, list);
  client.setQueryData(skillsQuery("codex", "c_1").queryKey, { skills: [deploy] });
  client.setQueryData(filesQuery("c_1", "").queryKey, { files: [{ path: "src/a b.ts" }] });
  function Page() {
    const [skills, setSkills] = useState(chosen);
    return (
      <Composer
        draftKey="c_1"
        agents={[claude, codex]}
        selected={{ agent: "claude" }}
        placeholder=""
        sendLabel="Send"
        field={createRef()}
        onSend={onSend}
        skills={{ chosen: skills, onChange: (change) => setSkills((now) => change(now)) }}
        people={["Wren Lee"]}
      />
    );
  }
  render(
    <QueryClientProvider client={client}>
      <Page />
    </QueryClientProvider>,
  );
  return { onSend, field: screen.getByRole("textbox", { name: "Prompt" }) };
}

const options = () => screen.queryAllByRole("option").map((o) => o.textContent);
const chips = () =>
  within(screen.getByRole("list", { name: "Skills that go along" }))
    .getAllByRole("listitem")
    .map((chip) => chip.textContent);

describe("the menu of skills", () => {
  it("opens at a word with $ or /, says how many there are, and names the row it is at", async () => {
    const { field } = draw();
    for (const sign of ["$", "/"]) {
      await userEvent.type(field, sign);
      await screen.findByRole("listbox");
      expect(options()).toEqual(["$deployin this folder", "$pdfReads PDF files"]);
      expect(screen.getByText("2 to choose from")).toBeInTheDocument();
      await userEvent.keyboard("{ArrowDown}");
      const at = screen.getByRole("option", { name: /pdf/, selected: true });
      expect(field).toHaveAttribute("aria-activedescendant", at.id);
      expect(field).toHaveAttribute("aria-controls", screen.getByRole("listbox").id);
      await userEvent.keyboard("{Backspace}");
      expect(options()).toEqual([]);
      expect(field).not.toHaveAttribute("aria-activedescendant");
    }
  });

  it("puts the skill beside the text and takes its word out; it is sent, and stays for the next", async () => {
    const { field, onSend } = draw();
    await userEvent.type(field, "Use $pd");
    await userEvent.keyboard("{Enter}");
    expect(onSend).not.toHaveBeenCalled();
    expect(field).toHaveValue("Use ");
    expect(chips()).toEqual(["$pdf"]);
    await userEvent.type(field, "now{Enter}");
    expect(onSend).toHaveBeenCalledWith(expect.objectContaining({ text: "Use now", skills: ["pdf"] }));
    expect(chips()).toEqual(["$pdf"]);
    await userEvent.keyboard("{Backspace}");
    expect(screen.queryByRole("list", { name: "Skills that go along" })).toBeNull();
  });

  it("leaves keys to an input method, and Enter to the composer where nothing fits", async () => {
    const { field, onSend } = draw();
    await userEvent.type(field, "$p");
    fireEvent.keyDown(field, { key: "Enter", isComposing: true });
    fireEvent.keyDown(field, { key: "Enter", keyCode: 229 });
    fireEvent.keyDown(field, { key: "Escape", isComposing: true });
    expect(options()).toHaveLength(2);
    expect(field).toHaveValue("$p");
    await userEvent.type(field, "rice{Enter}");
    expect(onSend).toHaveBeenCalledWith(expect.objectContaining({ text: "$price", skills: [] }));
  });

  it("closes on Escape until another word begins", async () => {
    const { field } = draw();
    await userEvent.type(field, "$");
    await userEvent.keyboard("{Escape}pd");
    expect(options()).toEqual([]);
    await userEvent.keyboard(" $");
    expect(options()).toHaveLength(2);
  });

  it("says that there are none, and which folders are no skills and why", async () => {
    const { field, onSend } = draw({
      skills: [],
      skipped: [{ folder: "x", source: "host", why: "It is open." }],
    });
    await userEvent.type(field, "$");
    expect(screen.getByText("Claude Code has no skills on this server.", { selector: "p" })).toBeVisible();
    expect(screen.getByText("x: It is open.")).toBeVisible();
    await userEvent.keyboard("{Enter}");
    expect(onSend).toHaveBeenCalledOnce();
  });

  it("marks what the agent does not have, and does not send it", async () => {
    const { field, onSend } = draw({ skills: [pdf] }, ["gone", "pdf"]);
    expect(screen.getByText(/has no such skill now/)).toBeInTheDocument();
    await userEvent.type(field, "a{Enter}");
    expect(onSend).toHaveBeenCalledWith(expect.objectContaining({ skills: ["pdf"] }));
  });

  // A92.
  it("takes out what another agent does not have, and says so", async () => {
    draw({ skills: [deploy, pdf] }, ["deploy", "pdf"]);
    await userEvent.click(screen.getByRole("button", { name: /^Model/ }));
    await userEvent.click(within(await screen.findByRole("group", { name: /Codex/ })).getByRole("radio"));
    await waitFor(() =>
      expect(screen.getByText("Codex does not have pdf: it was taken out.")).toBeInTheDocument(),
    );
    expect(chips()).toEqual(["$deploy"]);
  });
});

describe("the menu of files and people", () => {
  it("offers both by @, and puts in a path in quotes or a name", async () => {
    const { field } = draw();
    await userEvent.type(field, "See @");
    expect(await screen.findAllByRole("option")).toHaveLength(2);
    await userEvent.click(screen.getByRole("option", { name: /a b\.ts/ }));
    expect(field).toHaveValue('See "src/a b.ts" ');
    expect(field).toHaveFocus();
    await userEvent.type(field, "@lee");
    await userEvent.keyboard("{Tab}");
    expect(field).toHaveValue('See "src/a b.ts" @Wren Lee ');
  });
});
