import { appendFileSync, closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Daemon } from "./daemon";

type Body = Readonly<Record<string, unknown>> & { readonly type: string };

const by = { id: "u_00000000000000000000000000", name: "siskin" };

/** A run as agents make them: reasoning, steps and an answer. */
function* run(n: number, rounds: number): Generator<Body> {
  const id = String(n).padStart(6, "0");
  yield { type: "user", text: `Prompt ${n}: look at the parser once more.`, clientId: `made-${id}`, by };
  yield { type: "run_started", agent: "demo", cwd: "/work", mode: "code" };
  for (let i = 0; i < rounds; i += 1) {
    const of = `${id}-${i}`;
    yield { type: "thinking", item: `k-${of}`, delta: "What is known, and what could go wrong with it?" };
    yield {
      type: "tool_use_start",
      toolId: `t-${of}`,
      name: "Bash",
      input: { command: `go test ./parser -run ${of}` },
    };
    yield {
      type: "tool_use_end",
      toolId: `t-${of}`,
      name: "Bash",
      ok: true,
      output: `ok   parser   0.${i % 10}s\n`.repeat(4),
      exitCode: 0,
      ms: 120,
    };
    yield {
      type: "tool_use_start",
      toolId: `e-${of}`,
      name: "Edit",
      input: { file_path: "/work/a.go", old_string: "a := 1", new_string: `a := ${i}` },
    };
    yield { type: "tool_use_end", toolId: `e-${of}`, name: "Edit", ok: true, output: "done", ms: 12 };
    for (const delta of [
      "The parser *reads* each line once, ",
      "and `keeps` what it knows:\n\n",
      "- one\n- two\n",
    ])
      yield { type: "assistant_text", item: `a-${of}`, delta };
  }
  yield {
    type: "complete",
    status: "ok",
    ms: 4_200,
    usage: { input: 900, output: 120, costUsd: 0.01, costKind: "exact" },
  };
}

/**
 * Writes runs of one answer to the log of a chat whose daemon does not run: each with its prompt's words and
 * the time at which it was sent.
 */
export function writeRuns(
  daemon: Daemon,
  chat: string,
  runs: readonly { readonly text: string; readonly at: Date }[],
): void {
  const file = join(daemon.dir, "data", "chats", chat, "events.jsonl");
  let seq = lastOf(file);
  const lines = runs.flatMap(({ text, at }, n) => {
    const bodies: readonly Body[] = [
      { type: "user", text, clientId: `made-${seq}-${n}`, by },
      { type: "run_started", agent: "demo", cwd: "/work", mode: "code" },
      { type: "assistant_text", item: `a-${n}`, delta: `What was said to: ${text}` },
      { type: "complete", status: "ok", ms: 4_200 },
    ];
    const id = `r_${String(seq).padStart(26, "0")}`;
    return bodies.map(({ type, ...body }) => {
      seq += 1;
      return JSON.stringify({ seq, t: at.toISOString(), type, run: id, ...body });
    });
  });
  appendFileSync(file, `${lines.join("\n")}\n`);
}

function lastOf(file: string): number {
  const last: { readonly seq?: number } = JSON.parse(
    readFileSync(file, "utf8").trimEnd().split("\n").at(-1) ?? "{}",
  );
  return last.seq ?? 0;
}

/**
 * Writes at least so many events to the log of a chat whose daemon does not run, in runs of so many rounds of
 * eight events, and returns the words of the last prompt.
 */
export function writeHistory(daemon: Daemon, chat: string, events: number, rounds: number): string {
  const file = join(daemon.dir, "data", "chats", chat, "events.jsonl");
  let seq = lastOf(file);
  const first = seq;
  let n = 0;
  let lines: string[] = [];
  while (seq - first < events) {
    n += 1;
    const of = `r_${String(seq).padStart(26, "0")}`;
    for (const body of run(n, rounds)) {
      seq += 1;
      lines.push(
        JSON.stringify({
          seq,
          t: new Date(Date.UTC(2026, 10, 30) + seq * 100).toISOString(),
          run: of,
          ...body,
        }),
      );
    }
    if (lines.length > 20_000) {
      appendFileSync(file, `${lines.join("\n")}\n`);
      lines = [];
    }
  }
  if (lines.length > 0) appendFileSync(file, `${lines.join("\n")}\n`);
  return `Prompt ${n}:`;
}

/** So many events are of a run that `writeTalk` makes. */
export const talkEvents = 10_000;

/**
 * Writes runs to the log of a chat whose daemon does not run, as agents stream them: nearly all of their events
 * are pieces of answers, and each of them is larger than a page. The words of prompt n begin with "Prompt n:".
 */
export function writeTalk(daemon: Daemon, chat: string, runs: number): void {
  const file = join(daemon.dir, "data", "chats", chat, "events.jsonl");
  let seq = lastOf(file);
  const log = openSync(file, "a");
  const pieces = [
    "The parser reads ",
    "each line *once* ",
    "and keeps `what` ",
    "it knows about it, ",
    "as it is.\n\n",
  ];
  for (let n = 1; n <= runs; n += 1) {
    const lines: string[] = [];
    const of = `r_${String(seq).padStart(26, "0")}`;
    const t = new Date(Date.UTC(2026, 9, 1) + n * 60_000).toISOString();
    const say = (type: string, rest: string) => {
      seq += 1;
      lines.push(`{"seq":${seq},"t":"${t}","type":"${type}","run":"${of}",${rest}}`);
    };
    const sender = JSON.stringify(by);
    say("user", `"text":"Prompt ${n}: what does a heron eat?","clientId":"talk-${seq}","by":${sender}`);
    say("run_started", `"agent":"demo","cwd":"/work","mode":"code"`);
    for (let round = 0; lines.length < talkEvents - 1; round += 1) {
      const edit = `"toolId":"e-${n}-${round}","name":"Edit"`;
      const input = `"input":{"file_path":"/work/${n}.go","old_string":"a","new_string":"b${round}"}`;
      say("tool_use_start", `${edit},${input}`);
      say("tool_use_end", `${edit},"ok":true,"output":"done","ms":12`);
      for (let i = 0; i < 60 && lines.length < talkEvents - 1; i += 1)
        say(
          "assistant_text",
          `"item":"a-${n}-${round}","delta":${JSON.stringify(pieces[i % pieces.length])}`,
        );
    }
    say("complete", `"status":"ok","ms":4200`);
    writeSync(log, `${lines.join("\n")}\n`);
  }
  closeSync(log);
}
