import { expect, it } from "vitest";
import { folderName, shortPath } from "./folder.logic";

it.each([
  ["/home/siskin/src/ledgerd", "src/ledgerd"],
  ["/srv", "srv"],
  ["C:\\work\\ledgerd", "work/ledgerd"],
  ["/var/lib/signalbox/chats/c_1/work", ""],
  ["", ""],
])("the folder %s is %s on a phone", (cwd, name) => {
  expect(folderName({ id: "c_1", cwd })).toBe(name);
});

it("a long path keeps both of its ends", () => {
  expect(shortPath("/home/siskin/ledgerd")).toBe("/home/siskin/ledgerd");
  const short = shortPath(`/home/siskin/${"a/".repeat(40)}ledgerd`);
  expect(short).toMatch(/^\/home\/siskin\/.*….*\/ledgerd$/);
  expect(short).toHaveLength(40);
});
