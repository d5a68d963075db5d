import { type ChatOptions, ChatStore } from "../live/chat.store";
import { FakeSocket } from "./fake-socket";

const busy = () => Promise.resolve({ code: "busy", message: "" });

/** A chat whose socket is the test's, whose server takes nothing by other ways, and which draws at once. */
export function fakeChat(server: Partial<ChatOptions["server"]> = {}): ChatStore {
  return new ChatStore({
    server: {
      socket: () => "ws://test",
      page: () => Promise.resolve("stale"),
      prompt: busy,
      goOn: busy,
      refused: () => undefined,
      ...server,
    },
    storage: { load: () => [], save: () => undefined },
    connect: (url) => new FakeSocket(url),
    schedule: (task) => {
      task();
      return () => undefined;
    },
  });
}
