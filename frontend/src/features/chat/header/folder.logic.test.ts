import { expect, it } from "vitest";
import { folderName } from "./folder.logic";

it.each([
  ["/home/siskin/src/ledgerd", "src/ledgerd"],
  ["/srv", "srv"],
  ["C:\\work\\ledgerd", "work/ledgerd"],
  ["/var/lib/signalbox/chats/c_1/work", ""],
  ["", ""],
])("the folder %s is %s on a phone", (cwd, name) => {
  expect(folderName({ id: "c_1", cwd })).toBe(name);
});
