import type { Skill, SkillList, WorkFile } from "../../wire/types";

/** A word of the text that asks for something, with where it stands. */
export type Token = {
  readonly sign: "$" | "/" | "@";
  /** What stands between the sign and the caret. */
  readonly query: string;
  readonly from: number;
  readonly to: number;
};

const skillWord = /^[A-Za-z0-9_:.-]*$/;
const longest = 100;

/** The word with a sign at its beginning in which the caret is; null where it is in none. */
export function tokenAt(text: string, caret: number): Token | null {
  const before = /(?:^|[\s(])([$/@])(\S*)$/.exec(text.slice(0, caret));
  const [, sign, query = ""] = before ?? [];
  if (sign !== "$" && sign !== "/" && sign !== "@") return null;
  if (query.length > longest || (sign !== "@" && !skillWord.test(query))) return null;
  const rest = /^\S*/.exec(text.slice(caret))?.[0] ?? "";
  return { sign, query, from: caret - query.length - 1, to: caret + rest.length };
}

/** The skills that a few letters mean and that are not chosen, those whose names begin so first. */
export function skillsFor(
  list: readonly Skill[],
  query: string,
  chosen: readonly string[],
): readonly Skill[] {
  const words = query.toLowerCase();
  const rank = ({ name, description = "" }: Skill): number => {
    const at = name.toLowerCase().indexOf(words);
    if (at >= 0) return at === 0 ? 0 : 1;
    return words.length > 2 && description.toLowerCase().includes(words) ? 2 : -1;
  };
  return [0, 1, 2].flatMap((wanted) =>
    list.filter((skill) => rank(skill) === wanted && !chosen.includes(skill.name)),
  );
}

/** The people whose names have a word that begins so. */
export function peopleFor(names: readonly string[], query: string): readonly string[] {
  const words = query.toLowerCase();
  return names.filter((name) => ` ${name.toLowerCase()}`.includes(` ${words}`));
}

/**
 * The files that a query still means, of those that were found for the letters before, in the
 * order in which the daemon will find them: the best match of what is known is the first.
 */
export function filesFor(files: readonly WorkFile[], query: string): readonly WorkFile[] {
  const words = query.toLowerCase().replace(/^\.\//, "");
  const ranked = files.map((file) => ({ file, rank: rankOf(file.path.toLowerCase(), words) }));
  return [0, 1, 2, 3, 4].flatMap((wanted) =>
    ranked.filter(({ rank }) => rank === wanted).map(({ file }) => file),
  );
}

/** How well a path fits, less is better; the last is that its letters come one after the other. */
function rankOf(path: string, words: string): number {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (words === "" || name === words || path === words) return 0;
  if (name.startsWith(words) || path.startsWith(words)) return 1;
  if (name.includes(words)) return 2;
  if (path.includes(words)) return 3;
  let from = 0;
  const all = words.split("").every((letter) => {
    const at = path.indexOf(letter, from);
    from = at + letter.length;
    return at >= 0;
  });
  return all ? 4 : -1;
}

/** A path as it stands in a prompt: in quotes where it would be taken for several words. */
export function pathWords({ path, dir }: WorkFile): string {
  const whole = dir === true ? `${path}/` : path;
  return /\s/.test(whole) ? `"${whole}"` : whole;
}

/** What of the chosen skills an agent has; all of them while its list is not known or has no end. */
export function fitting(chosen: readonly string[], list: SkillList | undefined): readonly string[] {
  if (list === undefined || list.more === true) return chosen;
  return chosen.filter((name) => list.skills.some((skill) => skill.name === name));
}
