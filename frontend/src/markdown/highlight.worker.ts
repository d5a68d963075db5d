import {
  createHighlighterCore,
  type HighlighterCore,
  type LanguageInput,
  type ThemeRegistration,
} from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";
import type { HighlightAnswer, HighlightRequest, Line, Voice } from "./highlight";

const grammars: Readonly<Record<string, LanguageInput>> = {
  bash: () => import("shiki/langs/bash.mjs"),
  c: () => import("shiki/langs/c.mjs"),
  cpp: () => import("shiki/langs/cpp.mjs"),
  csharp: () => import("shiki/langs/csharp.mjs"),
  css: () => import("shiki/langs/css.mjs"),
  diff: () => import("shiki/langs/diff.mjs"),
  docker: () => import("shiki/langs/docker.mjs"),
  go: () => import("shiki/langs/go.mjs"),
  graphql: () => import("shiki/langs/graphql.mjs"),
  html: () => import("shiki/langs/html.mjs"),
  ini: () => import("shiki/langs/ini.mjs"),
  java: () => import("shiki/langs/java.mjs"),
  javascript: () => import("shiki/langs/javascript.mjs"),
  json: () => import("shiki/langs/json.mjs"),
  jsx: () => import("shiki/langs/jsx.mjs"),
  kotlin: () => import("shiki/langs/kotlin.mjs"),
  lua: () => import("shiki/langs/lua.mjs"),
  make: () => import("shiki/langs/make.mjs"),
  markdown: () => import("shiki/langs/markdown.mjs"),
  php: () => import("shiki/langs/php.mjs"),
  proto: () => import("shiki/langs/proto.mjs"),
  python: () => import("shiki/langs/python.mjs"),
  ruby: () => import("shiki/langs/ruby.mjs"),
  rust: () => import("shiki/langs/rust.mjs"),
  sql: () => import("shiki/langs/sql.mjs"),
  swift: () => import("shiki/langs/swift.mjs"),
  toml: () => import("shiki/langs/toml.mjs"),
  tsx: () => import("shiki/langs/tsx.mjs"),
  typescript: () => import("shiki/langs/typescript.mjs"),
  xml: () => import("shiki/langs/xml.mjs"),
  yaml: () => import("shiki/langs/yaml.mjs"),
};

const aliases: Readonly<Record<string, string>> = {
  sh: "bash",
  shell: "bash",
  zsh: "bash",
  console: "bash",
  "c++": "cpp",
  "c#": "csharp",
  cs: "csharp",
  dockerfile: "docker",
  golang: "go",
  js: "javascript",
  mjs: "javascript",
  kt: "kotlin",
  makefile: "make",
  md: "markdown",
  py: "python",
  rb: "ruby",
  rs: "rust",
  ts: "typescript",
  mts: "typescript",
  yml: "yaml",
};

/** Colours stand for voices: the page's tokens give the real ones. */
const voices: Readonly<Record<string, Voice>> = {
  "#000001": "key",
  "#000002": "str",
  "#000003": "num",
  "#000004": "com",
  "#000005": "fn",
};

const theme: ThemeRegistration = {
  name: "voices",
  type: "light",
  settings: [
    { settings: { foreground: "#000000", background: "#ffffff" } },
    {
      scope: ["keyword", "storage", "entity.name.tag", "variable.language"],
      settings: { foreground: "#000001" },
    },
    { scope: ["keyword.operator"], settings: { foreground: "#000000" } },
    { scope: ["keyword.operator.new", "keyword.operator.expression"], settings: { foreground: "#000001" } },
    { scope: ["string", "markup.inserted"], settings: { foreground: "#000002" } },
    { scope: ["constant", "support.constant"], settings: { foreground: "#000003" } },
    { scope: ["comment", "punctuation.definition.comment"], settings: { foreground: "#000004" } },
    { scope: ["entity.name.function", "support.function"], settings: { foreground: "#000005" } },
  ],
};

let made: Promise<HighlighterCore> | null = null;

async function colour(code: string, language: string): Promise<readonly Line[] | null> {
  const name = language.toLowerCase();
  const known = aliases[name] ?? name;
  const grammar = grammars[known];
  if (grammar === undefined) return null;
  made ??= createHighlighterCore({
    themes: [theme],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
  const highlighter = await made;
  await highlighter.loadLanguage(grammar);
  const lines = highlighter.codeToTokensBase(code, { lang: known, theme: "voices" });
  return lines.map((line) =>
    line.map((token) => [token.content, voices[(token.color ?? "").toLowerCase()] ?? ""] as const),
  );
}

self.onmessage = (message: MessageEvent<HighlightRequest>) => {
  const { id, code, language } = message.data;
  const answer = (lines: readonly Line[] | null) => {
    const reply: HighlightAnswer = { id, lines };
    self.postMessage(reply);
  };
  colour(code, language).then(answer, () => answer(null));
};
