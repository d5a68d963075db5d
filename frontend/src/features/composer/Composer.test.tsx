import { createEvent, fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createRef } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Selection } from "../../wire/types";
import { Composer } from "./Composer";
import { giveBack, useDrafts } from "./draft.store";

beforeEach(() => {
  useDrafts.setState({ texts: {} });
  // No touch screen.
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
});

function draw(onSend = vi.fn<(text: string, selection: Selection) => void>()) {
  render(
    <Composer
      draftKey="c_1"
      agents={[]}
      selected={{}}
      placeholder=""
      sendLabel="Send"
      field={createRef()}
      onSend={onSend}
    />,
  );
  return { onSend, field: screen.getByRole("textbox", { name: "Prompt" }) };
}

describe("the composer", () => {
  it("sends on Enter and begins a line on Shift+Enter", async () => {
    const { onSend, field } = draw();
    await userEvent.type(field, "one{Shift>}{Enter}{/Shift}two{Enter}");
    expect(onSend).toHaveBeenCalledExactlyOnceWith("one\ntwo", expect.objectContaining({ mode: "code" }));
    expect(field).toHaveValue("");
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

  it("keeps what is written in the tab, and puts back what was not sent before what came since", () => {
    const { field } = draw();
    fireEvent.change(field, { target: { value: "since" } });
    expect(sessionStorage.getItem("signalbox.drafts.1")).toContain("since");
    giveBack("c_1", "refused");
    expect(useDrafts.getState().texts["c_1"]).toBe("refused\n\nsince");
    giveBack("c_2", "refused");
    giveBack("c_2", "refused");
    expect(useDrafts.getState().texts["c_2"]).toBe("refused");
  });
});
