import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FakeSocket } from "../testing/fake-socket";
import type { ConnectedFrame, EventPage, Fault, LoggedEvent, PromptResult } from "../wire/types";
import { type ChatOptions, ChatStore } from "./chat.store";
import type { Outgoing } from "./outbox";

const me = { id: "u_1", name: "siskin" };

function connected(lastSeq: number, epoch = 1): ConnectedFrame {
  return { type: "connected", chat: "c_1", epoch, lastSeq, running: false, person: me, version: "1" };
}

function user(seq: number, clientId: string, run = `r_${seq}`): LoggedEvent {
  return { seq, t: "2026-11-30T14:00:00.000Z", type: "user", run, text: "go", clientId, by: me };
}

function text(seq: number, run: string, delta = "x"): LoggedEvent {
  return { seq, t: "2026-11-30T14:00:01.000Z", type: "assistant_text", run, item: "i_1", delta };
}

function start(part: Partial<ChatOptions> = {}) {
  let saved: readonly Outgoing[] = [];
  const page = vi.fn<(before: string) => Promise<EventPage | "stale">>();
  const prompt = vi.fn<() => Promise<PromptResult | Fault>>();
  const goOn = vi.fn<() => Promise<PromptResult | Fault>>();
  const chat = new ChatStore({
    server: {
      socket: (since) => `ws://test${since === null ? "" : `?since=${since}`}`,
      page,
      prompt,
      goOn,
      refused: () => undefined,
    },
    storage: { load: () => saved, save: (items) => (saved = items) },
    schedule: (task) => {
      task();
      return () => undefined;
    },
    connect: (url) => new FakeSocket(url),
    ...part,
  });
  chat.open();
  return { chat, state: () => chat.store.getState(), page, prompt, goOn, saved: () => saved };
}

beforeEach(() => {
  vi.useFakeTimers();
  FakeSocket.all.length = 0;
});
afterEach(() => vi.useRealTimers());

describe("ChatStore", () => {
  it("goes on from the last event that it has", () => {
    const { state } = start();
    expect(FakeSocket.last.url).toBe("ws://test");
    FakeSocket.last.accept();
    FakeSocket.last.say(connected(2), user(1, "k_1", "r_1"), text(2, "r_1"));
    FakeSocket.last.drop();
    vi.advanceTimersByTime(1_000);
    expect(FakeSocket.last.url).toBe("ws://test?since=1:2");
    FakeSocket.last.accept();
    FakeSocket.last.say(connected(3), text(3, "r_1", "y"));
    expect(state().thread[0]?.rows[0]).toMatchObject({ kind: "answer", text: "xy" });
  });

  it("shows a prompt as on its way until the log has it", () => {
    const { chat, state } = start();
    FakeSocket.last.accept();
    FakeSocket.last.say(connected(0));
    chat.send("go", { mode: "code" });
    const [command] = FakeSocket.last.commands("prompt");
    expect(command).toMatchObject({ text: "go", mode: "code", whenBusy: "queue" });
    expect(state().outbox).toHaveLength(1);
    FakeSocket.last.say(user(1, String(command?.["clientId"])));
    expect(state().outbox).toHaveLength(0);
    expect(state().thread).toHaveLength(1);
  });

  it("keeps a prompt while there is no line, and sends it once when there is, under the same id", () => {
    const { chat, state, saved } = start();
    FakeSocket.last.accept();
    FakeSocket.last.say(connected(0));
    FakeSocket.last.drop();
    chat.send("later", {});
    expect(state().outbox[0]?.command).toBe("");
    expect(saved()).toHaveLength(1);
    vi.advanceTimersByTime(1_000);
    FakeSocket.last.accept();
    expect(FakeSocket.last.commands("prompt")).toHaveLength(0);
    FakeSocket.last.say(connected(0));
    const [first] = FakeSocket.last.commands("prompt");
    // The answer is lost with the line: it is sent again, and the id tells that it is the same.
    FakeSocket.last.drop();
    vi.advanceTimersByTime(2_000);
    FakeSocket.last.accept();
    FakeSocket.last.say(connected(0));
    const [second] = FakeSocket.last.commands("prompt");
    expect(second?.["clientId"]).toBe(first?.["clientId"]);
    FakeSocket.last.say(user(1, String(first?.["clientId"])));
    expect(saved()).toHaveLength(0);
  });

  it("does not send again what the log already has", () => {
    const { chat } = start();
    FakeSocket.last.accept();
    FakeSocket.last.say(connected(0));
    chat.send("go", {});
    const [command] = FakeSocket.last.commands("prompt");
    FakeSocket.last.drop();
    vi.advanceTimersByTime(1_000);
    FakeSocket.last.accept();
    FakeSocket.last.say(connected(1), user(1, String(command?.["clientId"])));
    expect(FakeSocket.last.commands("prompt")).toHaveLength(0);
  });

  it("is on its way into the queue until that shows it, and is then not sent again", () => {
    const { chat, state } = start();
    FakeSocket.last.accept();
    FakeSocket.last.say(connected(0));
    chat.send("wait", {}, { whenBusy: "interrupt" });
    const [command] = FakeSocket.last.commands("prompt");
    expect(command).toMatchObject({ whenBusy: "interrupt" });
    const clientId = String(command?.["clientId"]);
    FakeSocket.last.say({
      type: "ack",
      id: String(command?.["id"]),
      ok: true,
      result: { clientId, queued: 1 },
    });
    expect(state().outbox).toHaveLength(1);
    const at = "2026-11-30T14:00:00.000Z";
    const items = [{ clientId, text: "wait", by: me, at, rev: 1 }];
    FakeSocket.last.say({ type: "queue", rev: 1, items });
    expect(state().outbox).toHaveLength(0);
    expect(state().queue.items).toHaveLength(1);
  });

  it("that the log has already is settled by the answer alone", () => {
    const { chat, state } = start();
    FakeSocket.last.accept();
    FakeSocket.last.say(connected(3), user(3, "k_3"));
    chat.send("again", {});
    const [command] = FakeSocket.last.commands("prompt");
    const result = { clientId: String(command?.["clientId"]), run: "r_2", seq: 2 };
    FakeSocket.last.say({ type: "ack", id: String(command?.["id"]), ok: true, result });
    expect(state().outbox).toHaveLength(0);
  });

  it("goes on with a run once, and says why it could not", async () => {
    const { chat, state, goOn } = start();
    goOn.mockResolvedValueOnce({ code: "conflict", message: "There is nothing to continue." });
    const asked = chat.goOn("reset");
    void chat.goOn("reset");
    expect(goOn).toHaveBeenCalledExactlyOnceWith("reset");
    await asked;
    expect(state().goingOn?.fault?.message).toBe("There is nothing to continue.");
    goOn.mockResolvedValueOnce({ clientId: "k", run: "r" });
    await chat.goOn();
    expect(state().goingOn).toBeNull();
  });

  it("says that somebody writes once in three seconds, and never without a line", () => {
    const { chat } = start();
    chat.typing();
    FakeSocket.last.accept();
    FakeSocket.last.say(connected(0));
    chat.typing();
    chat.typing();
    expect(FakeSocket.last.commands("typing")).toHaveLength(1);
    vi.advanceTimersByTime(3_000);
    chat.typing();
    expect(FakeSocket.last.commands("typing")).toHaveLength(2);
  });

  it("gives back what the server refused, with its reason", () => {
    const { chat, state } = start();
    FakeSocket.last.accept();
    FakeSocket.last.say(connected(0));
    chat.send("precious", {});
    const [command] = FakeSocket.last.commands("prompt");
    const error = { code: "busy", message: "A run is going on.", run: "r_9" };
    FakeSocket.last.say({ type: "ack", id: String(command?.["id"]), ok: false, error });
    expect(state().outbox).toHaveLength(0);
    expect(state().refusal).toMatchObject({ text: "precious", fault: error });
  });

  it("takes back a prompt that waits, and not one that is on its way", () => {
    const { chat, state } = start();
    chat.send("wait", {});
    const id = state().outbox[0]?.clientId ?? "";
    expect(chat.withdraw(id)?.text).toBe("wait");
    expect(state().outbox).toHaveLength(0);
    FakeSocket.last.accept();
    FakeSocket.last.say(connected(0));
    chat.send("gone", {});
    expect(chat.withdraw(state().outbox[0]?.clientId ?? "")).toBeNull();
  });

  it("sends a long prompt by POST, and loses none that fails", async () => {
    const { chat, state, prompt } = start();
    FakeSocket.last.accept();
    FakeSocket.last.say(connected(0));
    prompt.mockRejectedValueOnce(new Error("no network"));
    const long = "x".repeat(100_000);
    chat.send(long, {});
    await vi.advanceTimersByTimeAsync(0);
    expect(FakeSocket.last.commands("prompt")).toHaveLength(0);
    expect(state().refusal).toMatchObject({ text: long, fault: { code: "unavailable" } });
  });

  it("counts what was missed, says so for a moment, and then is quiet", () => {
    const { state } = start();
    FakeSocket.last.accept();
    FakeSocket.last.say(connected(1), user(1, "k_1", "r_1"));
    FakeSocket.last.drop();
    vi.advanceTimersByTime(10_000);
    FakeSocket.last.accept();
    FakeSocket.last.say(connected(101), ...Array.from({ length: 40 }, (_, i) => text(i + 2, "r_1")));
    expect(state().replay).toEqual({ total: 100, done: 40 });
    FakeSocket.last.say(...Array.from({ length: 60 }, (_, i) => text(i + 42, "r_1")));
    expect(state().replay).toEqual({ total: 100, done: 100 });
    vi.advanceTimersByTime(2_000);
    expect(state().replay).toBeNull();
  });

  it("asks once for what is missing, and steps over a hole that stays", () => {
    const { state } = start();
    FakeSocket.last.accept();
    FakeSocket.last.say(connected(4), user(1, "k_1", "r_1"), text(3, "r_1"));
    expect(FakeSocket.last.url).toBe("ws://test?since=1:1");
    FakeSocket.last.accept();
    FakeSocket.last.say(connected(4), text(3, "r_1"), text(4, "r_1"));
    expect(FakeSocket.all).toHaveLength(2);
    expect(state().log.events.map((e) => e.seq)).toEqual([1, 3, 4]);
  });

  it("reads the lines around one that is damaged", () => {
    const { state } = start();
    FakeSocket.last.accept();
    FakeSocket.last.raw(
      `${JSON.stringify(connected(1))}\n{"seq":1,\n${JSON.stringify(user(1, "k_1", "r_1"))}\nnull`,
    );
    expect(state().thread).toHaveLength(1);
  });

  it("drops an older page of a log that has changed meanwhile", async () => {
    const { chat, state, page } = start();
    FakeSocket.last.accept();
    FakeSocket.last.say(connected(6), user(5, "k_5", "r_5"), text(6, "r_5"));
    let answer: (page: EventPage) => void = () => undefined;
    page.mockReturnValueOnce(new Promise((resolve) => (answer = resolve)));
    const loading = chat.loadOlder();
    FakeSocket.last.say({
      seq: 7,
      t: "2026-11-30T14:00:02.000Z",
      type: "epoch",
      epoch: 2,
      keep: 4,
      cause: "rewind",
    });
    answer({ epoch: 1, events: [user(1, "k_1")], hasMore: false, open: [] });
    await loading;
    expect(state().log.events.map((e) => e.seq)).toEqual([7]);
    expect(state().log.hasMore).toBe(true);
    expect(state().older).toBe("idle");
  });

  it("says that an older page did not come, and can be asked again", async () => {
    const { chat, state, page } = start();
    FakeSocket.last.accept();
    FakeSocket.last.say(connected(5), user(5, "k_5", "r_5"));
    page.mockRejectedValueOnce(new Error("no network"));
    await chat.loadOlder();
    expect(state().older).toBe("failed");
    page.mockResolvedValueOnce({ epoch: 1, events: [user(1, "k_1")], hasMore: false, open: [] });
    await chat.loadOlder();
    expect(state().log.events.map((e) => e.seq)).toEqual([1, 5]);
  });

  it("lets go of whole runs at the far end, and comes back to the end on demand", async () => {
    const { chat, state, page } = start({ most: 4 });
    FakeSocket.last.accept();
    FakeSocket.last.say(connected(12), ...[9, 11].flatMap((n) => [user(n, `k_${n}`), text(n + 1, `r_${n}`)]));
    FakeSocket.last.say(user(13, "k_13"), text(14, "r_13"));
    expect(state().log.events.map((e) => e.seq)).toEqual([11, 12, 13, 14]);
    chat.reading("start");
    page.mockResolvedValueOnce({
      epoch: 1,
      events: [user(9, "k_9"), text(10, "r_9")],
      hasMore: true,
      open: [],
    });
    await chat.loadOlder();
    expect(state().log.events.map((e) => e.seq)).toEqual([9, 10, 11, 12]);
    expect(state().log.detached).toBe(true);
    FakeSocket.last.say(user(15, "k_15"));
    expect(state().unseen).toBe(1);
    page.mockResolvedValueOnce({
      epoch: 1,
      events: [user(11, "k_11"), text(12, "r_11"), user(13, "k_13"), text(14, "r_13"), user(15, "k_15")],
      hasMore: true,
      open: [],
    });
    chat.attach("onward");
    await vi.advanceTimersByTimeAsync(0);
    expect(page).toHaveBeenLastCalledWith("1:213");
    // No more comes at once than leaves what is read held.
    expect(state().log.events.at(-1)?.seq).toBe(14);
    page.mockResolvedValueOnce({ epoch: 1, events: [user(15, "k_15")], hasMore: true, open: [] });
    chat.attach("onward");
    await vi.advanceTimersByTimeAsync(0);
    expect(FakeSocket.all).toHaveLength(1);
    expect(state().log.events.at(-1)?.seq).toBe(15);
    expect(state().log.detached).toBe(false);
    expect(state().unseen).toBe(0);
    FakeSocket.last.say(text(16, "r_15"));
    expect(state().log.events.at(-1)?.seq).toBe(16);
  });

  it("comes over a hole that a rewind left, and over events too large for one page", async () => {
    const { chat, state, page } = start({ most: 2 });
    FakeSocket.last.accept();
    FakeSocket.last.say(connected(2_000), user(1_999, "k_1999"), text(2_000, "r_1999"));
    chat.reading("start");
    page.mockResolvedValueOnce({
      epoch: 1,
      events: [user(1, "k_1"), text(2, "r_1")],
      hasMore: false,
      open: [],
    });
    await chat.loadOlder();
    expect(state().log.detached).toBe(true);
    // Nothing lies within the next page; then the page is cut short before it reaches what is held.
    page.mockResolvedValueOnce({
      epoch: 1,
      events: [user(1, "k_1"), text(2, "r_1")],
      hasMore: false,
      open: [],
    });
    page.mockResolvedValueOnce({ epoch: 1, events: [text(1_500, "r_1")], hasMore: true, open: [] });
    page.mockResolvedValueOnce({
      epoch: 1,
      events: [text(2, "r_1"), { ...text(700, "r_1"), type: "epoch", epoch: 1, keep: 2, cause: "rewind" }],
      hasMore: true,
      open: [],
    });
    chat.attach("onward");
    await vi.advanceTimersByTimeAsync(0);
    expect(page.mock.calls.slice(1).map(([before]) => before)).toEqual(["1:203", "1:1603", "1:803"]);
    expect(state().log.events.at(-1)?.seq).toBe(700);
    expect(state().log.detached).toBe(true);
  });

  describe("an event that is asked for", () => {
    it("is shown at once where it is held, and once more when asked again", () => {
      const { chat, state, page } = start();
      FakeSocket.last.accept();
      FakeSocket.last.say(connected(2), user(1, "k_1", "r_1"), text(2, "r_1"));
      chat.visit(2);
      chat.visit(2);
      expect(state().visit).toEqual({ seq: 2, state: "held", times: 2, how: "mark" });
      expect(page).not.toHaveBeenCalled();
      chat.leave();
      expect(state().visit).toBeNull();
    });

    it("is loaded with what is around it, as soon as the epoch is known", async () => {
      const { chat, state, page } = start();
      chat.visit(5);
      FakeSocket.last.accept();
      expect(page).not.toHaveBeenCalled();
      page.mockResolvedValueOnce({
        epoch: 1,
        events: [user(4, "k_4"), text(5, "r_4"), text(6, "r_4")],
        hasMore: true,
        open: [],
      });
      FakeSocket.last.say(connected(901), user(900, "k_900"), text(901, "r_900"));
      await vi.advanceTimersByTimeAsync(0);
      expect(page).toHaveBeenCalledWith("1:105");
      expect(state().visit?.state).toBe("held");
      expect(state().log.events.map((e) => e.seq)).toEqual([4, 5, 6]);
      expect(state().log.detached).toBe(true);
      // What comes meanwhile is counted, and the line goes on from there.
      FakeSocket.last.say(user(902, "k_902"));
      expect(state().unseen).toBe(1);
      FakeSocket.last.drop();
      vi.advanceTimersByTime(1_000);
      expect(FakeSocket.last.url).toBe("ws://test?since=1:902");
    });

    it("that was rewound is said to be gone, and what is read stays", async () => {
      const { chat, state, page } = start();
      FakeSocket.last.accept();
      FakeSocket.last.say(connected(9), user(9, "k_9"));
      page.mockResolvedValue({
        epoch: 1,
        events: [user(1, "k_1"), user(9, "k_9")],
        hasMore: false,
        open: [],
      });
      chat.visit(5);
      await vi.advanceTimersByTimeAsync(0);
      expect(state().visit?.state).toBe("gone");
      expect(state().log.events.map((e) => e.seq)).toEqual([9]);
      page.mockRejectedValueOnce(new Error("no network"));
      chat.visit(4);
      await vi.advanceTimersByTimeAsync(0);
      expect(state().visit?.state).toBe("failed");
    });

    it("ends a prompt on its way that its page has before the socket tells", async () => {
      const { chat, state, page } = start();
      FakeSocket.last.accept();
      FakeSocket.last.say(connected(2), user(1, "k_1", "r_1"), text(2, "r_1"));
      chat.send("go", {});
      const clientId = state().outbox[0]?.clientId ?? "";
      page.mockResolvedValueOnce({ epoch: 1, events: [user(3, clientId)], hasMore: true, open: [] });
      chat.visit(3);
      await vi.advanceTimersByTimeAsync(0);
      expect(state().outbox).toHaveLength(0);
      FakeSocket.last.say(user(3, clientId), text(4, "r_3"));
      expect(state().log.events.map((e) => e.seq)).toEqual([3, 4]);
    });
  });

  it("answers pings and asks to stop the run that it knows", () => {
    const { chat, state } = start();
    FakeSocket.last.accept();
    FakeSocket.last.say(
      connected(0),
      { type: "sync", running: true, run: "r_7", phase: "running" },
      { type: "ping", n: 3 },
    );
    expect(FakeSocket.last.commands("pong")).toEqual([{ type: "pong", n: 3 }]);
    chat.cancel();
    const [cancel] = FakeSocket.last.commands("cancel");
    expect(cancel).toMatchObject({ run: "r_7" });
    const error = { code: "conflict", message: "It has ended." };
    FakeSocket.last.say({ type: "ack", id: String(cancel?.["id"]), ok: false, error });
    expect(state().stop?.fault).toEqual(error);
    FakeSocket.last.say({ type: "sync", running: false, phase: "idle" });
    expect(state().stop).toBeNull();
  });

  describe("an answer", () => {
    const approval: LoggedEvent = {
      seq: 2,
      t: "2026-11-30T14:00:01.000Z",
      type: "approval",
      run: "r_1",
      approvalId: "p1",
      kind: "command",
      title: "make",
      options: ["once", "deny"],
    };
    const answered = (by: { id: string; name: string }): LoggedEvent => ({
      seq: 3,
      t: "2026-11-30T14:00:02.000Z",
      type: "approval_answered",
      run: "r_1",
      approvalId: "p1",
      option: "once",
      by,
    });
    const waiting = () => {
      const started = start();
      FakeSocket.last.accept();
      FakeSocket.last.say(connected(2), user(1, "k_1", "r_1"), approval);
      return started;
    };

    it("is on its way until the log has it", () => {
      const { chat, state } = waiting();
      expect(chat.answer({ approvalId: "p1", option: "once" })).toBe(true);
      const [command] = FakeSocket.last.commands("answer");
      expect(command).toMatchObject({ approvalId: "p1", option: "once" });
      FakeSocket.last.say({ type: "ack", id: String(command?.["id"]), ok: true });
      expect(state().answers.has("p1")).toBe(true);
      FakeSocket.last.say(answered(me));
      expect(state().answers.size).toBe(0);
    });

    it("that came too late says whose counted", () => {
      const { chat, state } = waiting();
      chat.answer({ approvalId: "p1", option: "deny" });
      const [command] = FakeSocket.last.commands("answer");
      FakeSocket.last.say(answered({ id: "u_2", name: "dunlin" }));
      const error = { code: "conflict", message: "dunlin was first and allowed it." };
      FakeSocket.last.say({ type: "ack", id: String(command?.["id"]), ok: false, error });
      expect([...state().answers.values()]).toMatchObject([{ fault: error }]);
      chat.forgetAnswers();
      expect(state().answers.size).toBe(0);
    });

    it("with words counts as said only once it has counted", () => {
      const { chat, state } = waiting();
      chat.answer({ approvalId: "p1", option: "deny", text: "the other" });
      const [first] = FakeSocket.last.commands("answer");
      const error = { code: "conflict", message: "" };
      FakeSocket.last.say({ type: "ack", id: String(first?.["id"]), ok: false, error });
      expect(state().said).toBeNull();
      chat.answer({ approvalId: "p1", option: "deny", text: "the other" });
      const [, second] = FakeSocket.last.commands("answer");
      FakeSocket.last.say({ type: "ack", id: String(second?.["id"]), ok: true });
      expect(state().said).toEqual({ command: second?.["id"], text: "the other" });
    });

    it("is not sent without a line, and can be given again after it was lost", () => {
      const { chat, state } = waiting();
      chat.answer({ approvalId: "p1", option: "once" });
      FakeSocket.last.drop();
      expect(state().answers.size).toBe(0);
      expect(chat.answer({ approvalId: "p1", option: "once" })).toBe(false);
    });
  });
});
