import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createEvent, fireEvent, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createRef } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { settingsQuery } from "../../api/queries";
import type { Agent } from "../../wire/types";
import { Composer, type Written } from "./Composer";
import { draftOf, giveBack, openDrafts, takeOut, useDrafts } from "./draft.store";

const claude: Agent = {
  info: {
    id: "claude",
    name: "Claude Code",
    models: [
      { value: "opus", name: "Opus" },
      { value: "sonnet", name: "Sonnet" },
    ],
    efforts: [{ value: "high", name: "High" }],
    tiers: [],
    modes: [
      { mode: "plan", policy: "Reads only." },
      { mode: "code", policy: "Edits files.", caveat: "Commands have your rights." },
      { mode: "full_auto", policy: "Asks nothing." },
    ],
    images: true,
  },
  status: { state: "ready" },
};
const codex: Agent = {
  info: { ...claude.info, id: "codex", name: "Codex", models: [{ value: "gpt", name: "GPT" }], efforts: [] },
  status: { state: "not_signed_in", message: "Codex is not signed in.", hint: "Run `codex login`." },
};

beforeEach(() => {
  useDrafts.setState({ owner: "", drafts: {} });
  localStorage.clear();
});
afterEach(() => vi.unstubAllGlobals());

type More = Partial<Parameters<typeof Composer>[0]> & { enterSends?: boolean };

function draw({ enterSends = true, ...more }: More = {}) {
  const onSend = vi.fn<(written: Written) => void>();
  const client = new QueryClient();
  client.setQueryData(settingsQuery.queryKey, { enterSends, continueAtReset: false, limits: {} });
  const { unmount } = render(
    <QueryClientProvider client={client}>
      <Composer
        draftKey="c_1"
        agents={[]}
        selected={{}}
        placeholder=""
        sendLabel="Send"
        field={createRef()}
        onSend={onSend}
        {...more}
      />
    </QueryClientProvider>,
  );
  return { onSend, unmount, field: screen.getByRole("textbox", { name: "Prompt" }) };
}

const running = { onStop: () => undefined, armed: false, stopping: false, offline: false };

describe("the composer", () => {
  it("says in a chat what a mode holds back and what it does not, and leaves the latter to the first page there", () => {
    const agents = [claude];
    const { unmount } = draw({ agents, selected: { agent: "claude", mode: "code" } });
    expect(screen.getAllByText("Edits files.")).toHaveLength(2);
    expect(screen.getByText("Commands have your rights.")).toBeInTheDocument();
    unmount();
    draw({ draftKey: "new", agents, selected: { agent: "claude", mode: "code" } });
    expect(screen.getAllByText("Edits files.")).toHaveLength(2);
    expect(screen.queryByText("Commands have your rights.")).toBeNull();
  });

  it("says what it waits for in place of the mode's words, and what sending does where it is no prompt", async () => {
    const onSend = vi.fn(() => false);
    draw({
      agents: [claude],
      aside: "Held until you answer",
      sendLabel: "Send instead",
      instead: "It answers",
      onSend,
    });
    expect(screen.queryByText("Edits files.")).toBeNull();
    expect(screen.getAllByText("Held until you answer")).toHaveLength(2);
    const field = screen.getByRole("textbox", { name: "Prompt" });
    await userEvent.type(field, "mine{Enter}");
    expect(onSend).toHaveBeenCalledOnce();
    // It is kept until it counts.
    expect(field).toHaveValue("mine");
    expect(screen.getByRole("button", { name: /Send instead/ })).toHaveAttribute("title", "It answers");
  });

  it("sends on Enter and begins a line on Shift+Enter", async () => {
    const { onSend, field } = draw();
    await userEvent.type(field, "one{Shift>}{Enter}{/Shift}two{Enter}");
    expect(onSend).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ text: "one\ntwo", now: false }));
    expect(field).toHaveValue("");
  });

  it("makes Enter a new line for those who want that, and sends on Ctrl+Enter", async () => {
    const { onSend, field } = draw({ enterSends: false });
    await userEvent.type(field, "one{Enter}two");
    expect(onSend).not.toHaveBeenCalled();
    await userEvent.keyboard("{Control>}{Enter}{/Control}");
    expect(onSend).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ text: "one\ntwo", now: false }));
  });

  it("interrupts a run on Ctrl+Enter or by the button, and says what that does", async () => {
    const { onSend, field } = draw({ running });
    expect(screen.queryByRole("button", { name: "Send now" })).toBeNull();
    await userEvent.type(field, "one{Control>}{Enter}{/Control}");
    await userEvent.type(field, "two");
    await userEvent.click(screen.getByRole("button", { name: "Send now" }));
    expect(onSend.mock.calls.map(([w]) => [w.text, w.now])).toEqual([
      ["one", true],
      ["two", true],
    ]);
  });

  it("leaves Enter to an input method that is composing", () => {
    const { onSend, field } = draw();
    fireEvent.change(field, { target: { value: "にほん" } });
    const enter = createEvent.keyDown(field, { key: "Enter", isComposing: true });
    fireEvent(field, enter);
    expect(onSend).not.toHaveBeenCalled();
    expect(enter.defaultPrevented).toBe(false);
    fireEvent.keyDown(field, { key: "Enter", keyCode: 229 });
    expect(onSend).not.toHaveBeenCalled();
    fireEvent.keyDown(field, { key: "Enter" });
    expect(onSend).toHaveBeenCalledOnce();
  });

  it("makes Enter a new line where there is only a touch keyboard", () => {
    vi.stubGlobal("matchMedia", () => ({ matches: true }));
    const { onSend, field } = draw();
    fireEvent.change(field, { target: { value: "one" } });
    fireEvent.keyDown(field, { key: "Enter" });
    expect(onSend).not.toHaveBeenCalled();
  });

  it("sends nothing that is empty or white space", async () => {
    const { onSend, field } = draw();
    await userEvent.type(field, "   {Enter}");
    await userEvent.click(screen.getByRole("button", { name: "Send" }));
    expect(onSend).not.toHaveBeenCalled();
    expect(field).toHaveValue("   ");
  });

  it("goes back to the last queued prompt on Up in the empty field, and nowhere else", async () => {
    const onRecall = vi.fn(() => true);
    const { field } = draw({ onRecall });
    await userEvent.type(field, "a{ArrowUp}");
    expect(onRecall).not.toHaveBeenCalled();
    await userEvent.type(field, "{Backspace}{ArrowUp}");
    expect(onRecall).toHaveBeenCalledOnce();
  });

  it("takes files that are pasted, but a text with a picture of it as the text", () => {
    const onFiles = vi.fn<(files: readonly File[]) => void>();
    const { field } = draw({ onFiles });
    const file = new File(["x"], "shot.png", { type: "image/png" });
    const clip = (types: readonly string[]) => ({ clipboardData: { files: [file], types } });
    fireEvent.paste(field, clip(["text/plain", "Files"]));
    expect(onFiles).not.toHaveBeenCalled();
    fireEvent.paste(field, clip(["Files"]));
    expect(onFiles).toHaveBeenCalledExactlyOnceWith([file]);
  });

  it("draws no button for files where none can be attached", () => {
    draw();
    expect(screen.queryByRole("button", { name: "Attach files" })).toBeNull();
  });
});

describe("what answers", () => {
  it("is picked from one menu by keyboard, which gives the focus back", async () => {
    const { onSend, field } = draw({ agents: [claude, codex] });
    field.focus();
    await userEvent.keyboard("{Control>};{/Control}");
    const sonnet = await screen.findByRole("radio", { name: /Sonnet/ });
    expect(screen.getByText(/Codex is not signed in\./)).toBeVisible();
    expect(screen.queryByRole("radio", { name: /GPT/ })).toBeNull();
    expect(screen.getByText(/Takes pictures · Forks begin a new session/)).toBeVisible();
    sonnet.focus();
    await userEvent.keyboard(" {Enter}");
    await waitFor(() => expect(screen.queryByRole("radio", { name: /Sonnet/ })).toBeNull());
    await waitFor(() => expect(field).toHaveFocus());
    await userEvent.keyboard("go{Enter}");
    expect(onSend.mock.calls[0]?.[0].selection).toMatchObject({ agent: "claude", model: "sonnet" });
  });

  it("has its mode from a menu with what each lets it do, by a digit", async () => {
    const { onSend, field } = draw({ agents: [claude] });
    field.focus();
    await userEvent.keyboard("{Control>}.{/Control}");
    await screen.findByText(/Edits files\. Commands have your rights\./, { selector: "[role=menu] *" });
    await userEvent.keyboard("1");
    await waitFor(() => expect(screen.queryByRole("menu")).toBeNull());
    await waitFor(() => expect(field).toHaveFocus());
    await userEvent.keyboard("go{Enter}");
    expect(onSend.mock.calls[0]?.[0].selection.mode).toBe("plan");
  });

  it("is let off without asking only after that was confirmed, once a chat", async () => {
    const { onSend, field } = draw({ agents: [claude], draftKey: "c_auto" });
    await userEvent.click(screen.getByRole("radio", { name: "Full Auto" }));
    await userEvent.click(await screen.findByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
    expect(screen.getByRole("radio", { name: "Code" })).toBeChecked();
    await userEvent.click(screen.getByRole("radio", { name: "Full Auto" }));
    await userEvent.click(await screen.findByRole("button", { name: "Use Full Auto" }));
    await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
    await userEvent.type(field, "go{Enter}");
    expect(onSend.mock.calls[0]?.[0].selection.mode).toBe("full_auto");
    await userEvent.click(screen.getByRole("radio", { name: "Plan" }));
    await userEvent.click(screen.getByRole("radio", { name: "Full Auto" }));
    expect(screen.queryByRole("alertdialog")).toBeNull();
  });
});

describe("a draft", () => {
  it("outlives the page, and is its author's alone", () => {
    openDrafts("u_1");
    const { field } = draw();
    fireEvent.change(field, { target: { value: "since" } });
    openDrafts("u_2");
    expect(draftOf("c_1").text).toBe("");
    openDrafts("u_1");
    expect(draftOf("c_1")).toMatchObject({ text: "since", dirty: true });
  });

  it("takes what was not sent before what came since", () => {
    useDrafts.getState().write("c_1", "since");
    giveBack("c_1", "refused");
    expect(draftOf("c_1").text).toBe("refused\n\nsince");
    giveBack("c_2", "refused");
    giveBack("c_2", "refused");
    expect(draftOf("c_2").text).toBe("refused");
  });

  it("loses what was said with an answer, and keeps what came since", () => {
    useDrafts.getState().write("c_1", "no, the other\nand then this");
    takeOut("c_1", "no, the other");
    expect(draftOf("c_1").text).toBe("and then this");
    takeOut("c_1", "never written");
    expect(draftOf("c_1").text).toBe("and then this");
  });
});
