import { readdirSync, readFileSync } from "node:fs";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import type { Row, Step, ToolStep } from "../../live/rows";
import { extendThread } from "../../live/thread";
import { Kept } from "../../ui/kept";
import type { LoggedEvent } from "../../wire/types";
import { StepRows } from "./StepTable";
import { StepContext } from "./context";
import { kindOf } from "./kinds";
import { stepRows } from "./toolcall.logic";

function StepTable({ steps }: { steps: readonly Step[] }) {
  return <StepRows rows={stepRows(steps, false)} />;
}

const base: ToolStep = {
  kind: "tool",
  key: "t1",
  name: "Bash",
  input: {},
  refs: {},
  from: "2026-11-30T14:00:00.000Z",
  live: "",
  approvals: [],
  children: [],
};

function tool(part: Partial<ToolStep>): ToolStep {
  return { ...base, ...part };
}

function ended(
  output: string,
  part: Partial<NonNullable<ToolStep["result"]>> = {},
): NonNullable<ToolStep["result"]> {
  return { ok: true, output, ms: 200, refs: {}, ...part };
}

describe("a step", () => {
  it("opens and closes, and says that it does", async () => {
    render(
      <StepTable
        steps={[tool({ name: "Read", input: { file_path: "/w/a.go" }, result: ended("1\tpackage a") })]}
      />,
    );
    const row = screen.getByRole("button", { name: /Read.*a\.go.*1 line/ });
    expect(row).toHaveAttribute("aria-expanded", "false");
    await userEvent.click(row);
    expect(screen.getByText(/package a/)).toBeVisible();
    await userEvent.click(row);
    expect(screen.queryByText(/package a/)).toBeNull();
  });

  it("shows a command's end, its output with colours, and its last lines first", async () => {
    const output = Array.from({ length: 30 }, (_, i) => `line ${i + 1}`).join("\n");
    render(
      <StepTable
        steps={[
          tool({
            input: { command: "make" },
            result: ended(`${output}\n\u001b[31mbad\u001b[0m`, { ok: false, exitCode: 2 }),
          }),
        ]}
      />,
    );
    expect(screen.getByText("exit 2")).toBeVisible();
    expect(screen.getByText("bad")).toHaveClass("text-stop");
    expect(screen.queryByText("line 1")).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "… 23 lines above" }));
    expect(screen.getByText("line 1")).toBeVisible();
  });

  it("names the server of an MCP tool, and shows what it was given as a table", async () => {
    render(
      <StepTable
        steps={[
          tool({
            name: "create_issue",
            server: "linear",
            input: { title: "Sent twice", priority: 2 },
            result: ended("ok"),
          }),
        ]}
      />,
    );
    await userEvent.click(screen.getByRole("button", { name: /linear\.create_issue/ }));
    expect(screen.getByText("priority")).toBeVisible();
    await userEvent.click(screen.getByRole("button", { name: "Raw JSON" }));
    expect(screen.getByText(/"priority": 2/)).toBeVisible();
  });

  it("says who allowed it, and who did not", () => {
    const approval = {
      id: "p1",
      kind: "command" as const,
      title: "ls",
      paths: [],
      options: [],
      refs: {},
      at: base.from,
    };
    render(
      <StepTable
        steps={[
          tool({
            key: "a",
            approvals: [{ ...approval, answer: { option: "once", reason: "It only reads.", at: base.from } }],
            result: ended("x"),
          }),
          tool({
            key: "b",
            approvals: [
              { ...approval, answer: { option: "deny", by: { id: "u_1", name: "dunlin" }, at: base.from } },
            ],
            result: ended("no", { ok: false }),
          }),
        ]}
      />,
    );
    expect(screen.getByText("Allowed without asking: It only reads.")).toBeVisible();
    expect(screen.getAllByText("Denied by dunlin")).toHaveLength(2);
  });

  it("puts neighbouring reads together", async () => {
    const read = (name: string) =>
      tool({ key: name, name: "Read", input: { file_path: `/w/${name}` }, result: ended("x") });
    render(<StepTable steps={[read("a.go"), read("b.go"), read("c.go")]} />);
    await userEvent.click(screen.getByRole("button", { name: /Read 3 files.*a\.go, b\.go, c\.go/ }));
    expect(screen.getAllByRole("button", { name: /^Read\s*\/w\// })).toHaveLength(3);
  });
});

describe("a table of steps", () => {
  it("marks what a search looked for, and says where it is", async () => {
    const output = "a.go:3:store.Ack(ctx)\nb.go:9:r.store.Ack(ctx)\nb.go:10:x.Ack()";
    render(
      <StepTable steps={[tool({ name: "Grep", input: { pattern: "\\.Ack\\(" }, result: ended(output) })]} />,
    );
    await userEvent.click(screen.getByRole("button", { name: /Search.*3 matches in 2 files/ }));
    expect(screen.getByText("b.go:9")).toBeVisible();
    expect(document.querySelectorAll("mark")).toHaveLength(3);
  });

  it("shows what a subagent did on a siding, and its last words once", () => {
    const child = tool({ key: "c1", name: "Read", input: { file_path: "/w/replay.go" }, result: ended("x") });
    const task = tool({
      key: "p1",
      name: "Task",
      input: { description: "Check the replay path" },
      children: [{ kind: "steps", key: "s", steps: [child] }],
      result: ended("replay.go:58 has the same bug", { detail: { totalTokens: 14_200 } }),
    });
    render(
      <StepContext
        value={{
          chatId: "",
          over: true,
          cwd: "/w",
          drawRows: (rows) =>
            rows.map((row) => (row.kind === "steps" ? <StepTable key={row.key} steps={row.steps} /> : null)),
        }}
      >
        <StepTable steps={[task]} />
      </StepContext>,
    );
    expect(screen.getByRole("button", { name: /Subagent.*14\.2k tokens/ })).toBeVisible();
    expect(screen.getByRole("button", { name: /Read\s*replay\.go/ })).toBeVisible();
    expect(screen.getAllByText(/has the same bug/)).toHaveLength(1);
  });

  it("puts a result that is JSON into a table, and gives the raw one on demand", async () => {
    const result = ended('{"id":"LED-412","open":true}');
    render(<StepTable steps={[tool({ name: "create", server: "linear", input: { title: "T" }, result })]} />);
    await userEvent.click(screen.getByRole("button", { name: /linear\.create/ }));
    expect(screen.getByText("LED-412")).toBeVisible();
    await userEvent.click(screen.getByRole("button", { name: "Raw JSON" }));
    expect(screen.getByText(/"open": true/)).toBeVisible();
  });

  it("says what a known tool was not, and shows marks of direction in a command and a path", () => {
    const steps = [
      tool({
        key: "a",
        name: "deploy",
        server: "acme",
        result: ended("No such tool available", { ok: false }),
      }),
      tool({ key: "b", input: { command: "rm \u202efdp.x" }, result: ended("") }),
      tool({
        key: "c",
        name: "Read",
        input: { file_path: "/w/\u2066a.go" },
        result: ended("x", { ok: false }),
      }),
    ];
    render(<StepTable steps={steps} />);
    expect(screen.getByText("tool not found")).toBeVisible();
    expect(screen.getByText(/rm ⟨U\+202E⟩fdp\.x/)).toBeVisible();
    expect(screen.getByText(/⟨U\+2066⟩a\.go/)).toBeVisible();
  });

  it("draws a patch in Codex's form", () => {
    const patch = "*** Begin Patch\n*** Update File: a.go\n@@ func\n-old line\n+new line\n*** End Patch";
    render(
      <StepTable steps={[tool({ name: "apply_patch", input: { input: patch }, result: ended("ok") })]} />,
    );
    expect(screen.getByRole("button", { name: /Edit\s*a\.go\s*\+1 -1/ })).toBeVisible();
    expect(screen.getByRole("group", { name: /Changes of a\.go/ })).toHaveTextContent("new line");
  });

  it("keeps what was opened when its row comes back", async () => {
    const kept = new Map<string, boolean>();
    const steps = [tool({ name: "Read", input: { file_path: "/w/a.go" }, result: ended("1\tpackage a") })];
    const draw = () => (
      <Kept value={kept}>
        <StepTable steps={steps} />
      </Kept>
    );
    const { unmount } = render(draw());
    await userEvent.click(screen.getByRole("button", { name: /Read/ }));
    unmount();
    render(draw());
    expect(screen.getByText("package a")).toBeVisible();
  });

  it("shows only the last of what was written over, however often", () => {
    const output = `${Array.from({ length: 41_208 }, (_, i) => `${i} %`).join("\r")}\r100 % done\n`;
    const { container } = render(
      <StepTable steps={[tool({ input: { command: "fetch" }, result: ended(output) })]} />,
    );
    expect(screen.getByText("100 % done")).toBeVisible();
    expect(container.textContent?.length).toBeLessThan(200);
  });
});

const huge = "x".repeat(1_000_000);
let deep: unknown = "end";
for (let i = 0; i < 500; i += 1) deep = { deep };

const shapes: readonly unknown[] = [
  null,
  undefined,
  0,
  "",
  "text",
  true,
  [],
  [null, 1, "x", {}],
  {},
  { a: null, b: undefined },
  { command: ["go", 1, null] },
  { command: { nested: true } },
  { file_path: 7, content: {} },
  { edits: "no" },
  { edits: [null, 1, { old_string: 1 }] },
  { questions: [null, "x", { question: 1 }] },
  { url: "not a url", query: [] },
  { text: huge },
  { items: Array.from({ length: 1_000 }, (_, i) => i) },
  deep,
  { rtl: "\u202eevil\u2066", ansi: "\u001b[31mred", nul: "\u0000" },
];

describe("a shape that nobody expected", () => {
  const names = [
    "Bash",
    "Read",
    "Write",
    "Edit",
    "MultiEdit",
    "Grep",
    "Glob",
    "WebFetch",
    "WebSearch",
    "apply_patch",
    "StrReplaceFile",
    "Task",
    "TodoWrite",
    "ExitPlanMode",
    "AskUserQuestion",
    "Nobody",
  ];
  it.each(shapes.map((shape, i) => [i, shape] as const))("does no harm (%i)", (_i, shape) => {
    const steps: Step[] = names.flatMap((name) => [
      tool({ key: `${name}-running`, name, input: shape }),
      tool({ key: `${name}-done`, name, input: shape, result: ended("", { detail: shape }) }),
      tool({
        key: `${name}-failed`,
        name,
        input: shape,
        result: ended(typeof shape === "string" ? shape : "bad", { ok: false, detail: shape }),
      }),
    ]);
    const { container } = render(<StepTable steps={steps} />);
    expect(container.textContent?.length ?? 0).toBeLessThan(200_000);
    expect(screen.getAllByRole("button").length).toBeGreaterThanOrEqual(steps.length);
  });
});

/** All that the adapters make of the captures of the real CLIs. */
function captures(): readonly string[] {
  return [
    "claude/testdata/two-way",
    "claude/testdata/print",
    "codex/testdata/two-way",
    "kimi/testdata/two-way",
  ].flatMap((of) => {
    const folder = `../backend/agent/${of}`;
    const names = readdirSync(folder).filter((name) => name.endsWith(".want.jsonl"));
    return names.map((name) => readFileSync(`${folder}/${name}`, "utf8"));
  });
}

function toolsOf(rows: readonly Row[]): readonly ToolStep[] {
  return rows
    .flatMap((r) => (r.kind === "steps" ? r.steps : []))
    .flatMap((s) => (s.kind === "tool" ? [s, ...toolsOf(s.children)] : []));
}

describe("the captures of all agents", () => {
  it("fold, draw, and leave no tool that is known in the view for unknown ones", () => {
    const files = captures();
    expect(files.length).toBeGreaterThan(250);
    const generic = new Set<string>();
    for (const file of files) {
      const events = file
        .split("\n")
        .filter((text) => text !== "")
        .map((text): Record<string, unknown> => JSON.parse(text))
        .filter((value) => "type" in value)
        .map(
          (value, i) =>
            ({ ...value, seq: i + 1, t: new Date(i).toISOString(), run: "r_1" }) as unknown as LoggedEvent,
        );
      const rows = extendThread([], events).flatMap((run) => run.rows);
      for (const step of toolsOf(rows)) if (kindOf(step) === "other") generic.add(step.name);
      for (const row of rows) {
        if (row.kind !== "steps") continue;
        const { unmount } = render(<StepTable steps={row.steps} />);
        unmount();
      }
    }
    // These have no view of their own: what they do is drawn as the to-do list, or is of another program.
    const expected = [...generic].filter(
      (name) =>
        !/^(Task(Create|Update|List|Output|Stop|Get)|TodoWrite|TodoList|Nope|Nonexistent.*|NoSuchTool|mcp__.*)$/.test(
          name,
        ),
    );
    expect(expected).toEqual([]);
  });
});
