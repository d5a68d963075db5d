import { describe, expect, it } from "vitest";
import { type FieldAct, fieldAct, type FieldKey, type FieldState } from "./keys.logic";

const enter: FieldKey = {
  key: "Enter",
  shift: false,
  alt: false,
  command: false,
  composing: false,
  repeat: false,
};
const desk: FieldState = { enterSends: true, touch: false, empty: false };
const lines: FieldState = { ...desk, enterSends: false };
const phone: FieldState = { ...desk, touch: true };
const blank: FieldState = { ...desk, empty: true };

describe("a key in the composer", () => {
  it.each<[string, Partial<FieldKey>, FieldState, FieldAct]>([
    ["Enter sends", {}, desk, "send"],
    ["Shift+Enter makes a line", { shift: true }, desk, "none"],
    ["Alt+Enter makes a line", { alt: true }, desk, "none"],
    ["Cmd+Enter sends now", { command: true }, desk, "now"],
    ["Enter that is held down sends once", { repeat: true }, desk, "none"],
    ["an input method keeps its Enter", { composing: true }, desk, "none"],
    ["an input method keeps its Cmd+Enter", { composing: true, command: true }, desk, "none"],
    ["Enter makes a line where the person wants that", {}, lines, "none"],
    ["Cmd+Enter sends then", { command: true }, lines, "send"],
    ["Cmd+Shift+Enter sends now then", { command: true, shift: true }, lines, "now"],
    ["Enter makes a line on a touch keyboard", {}, phone, "none"],
    ["Cmd+Enter sends from a keyboard at a tablet", { command: true }, phone, "send"],
    ["Up in an empty field recalls", { key: "ArrowUp" }, blank, "recall"],
    ["Up in a text moves the caret", { key: "ArrowUp" }, desk, "none"],
    ["Shift+Up selects", { key: "ArrowUp", shift: true }, blank, "none"],
    ["Up of an input method is its own", { key: "ArrowUp", composing: true }, blank, "none"],
    ["other keys are the field's own", { key: "a" }, desk, "none"],
  ])("%s", (_name, key, state, act) => {
    expect(fieldAct({ ...enter, ...key }, state)).toBe(act);
  });
});
