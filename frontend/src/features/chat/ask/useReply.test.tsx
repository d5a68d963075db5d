import { fakeChat } from "../../../testing/fake-chat";
import { act, renderHook } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import { useDrafts } from "../../composer";
import { ChatContext } from "../context";
import { emptyPage } from "./ask.logic";
import { useAsking } from "./asking.store";
import { useReply } from "./useReply";

const question = {
  id: "q_1",
  toolId: "t",
  questions: [{ question: "Which?", options: [{ label: "A" }] }],
  at: "2026-11-30T14:00:00.000Z",
};

function replying() {
  const store = fakeChat();
  const { result } = renderHook(() => useReply(), {
    wrapper: ({ children }) => <ChatContext value={{ id: "c_1", store }}>{children}</ChatContext>,
  });
  return () => result.current;
}

const write = (text: string) => act(() => useDrafts.getState().write("c_1", text));
const ask = () => act(() => useAsking.getState().show({ question, at: 0, pages: [emptyPage] }));

beforeEach(() => {
  useDrafts.getState().write("c_1", "");
  useDrafts.getState().attach("c_1", []);
  useAsking.setState({ asking: null });
});

it("words that are written while a question waits are the reply to it", () => {
  const reply = replying();
  expect(reply()).toEqual({ waits: false, answer: null });
  ask();
  write("mine");
  expect(reply().answer?.("mine")).toEqual({ questionId: "q_1", answers: { "Which?": ["mine"] } });
  act(() => useAsking.getState().leave("q_1"));
  expect(reply()).toEqual({ waits: false, answer: null });
});

it("a text begun before the question came stays a prompt, until it is sent or taken out", () => {
  const reply = replying();
  write("next, do this");
  ask();
  write("next, do this and that");
  expect(reply()).toEqual({ waits: true, answer: null });
  write("");
  write("mine");
  expect(reply().answer).not.toBeNull();
});

it("of several questions, words are the reply to that whose card is shown when they are begun", () => {
  const reply = replying();
  const other = { question: { ...question, id: "q_2" }, at: 0, pages: [emptyPage] };
  ask();
  act(() => useAsking.getState().show(other));
  write("mine");
  expect(reply().answer?.("mine")).toEqual({ questionId: "q_2", answers: { "Which?": ["mine"] } });
  ask();
  expect(reply()).toEqual({ waits: true, answer: null });
  act(() => useAsking.getState().show(other));
  write("");
  write("again");
  expect(reply().answer?.("again")).toEqual({ questionId: "q_2", answers: { "Which?": ["again"] } });
});

it("what has files is a prompt", () => {
  const reply = replying();
  ask();
  write("see this");
  act(() =>
    useDrafts.getState().attach("c_1", [{ name: "a.txt", sha256: "x", bytes: 1, media: "text/plain" }]),
  );
  expect(reply().answer).toBeNull();
});
