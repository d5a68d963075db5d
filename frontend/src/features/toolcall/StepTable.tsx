import { clsx } from "clsx";
import { memo, useContext, useId } from "react";
import type { ApprovalState, ApprovalStep, Step, TodoStep, ToolStep } from "../../live/rows";
import { duration } from "../../messages/format";
import { type Key, t } from "../../messages/t";
import { Badge } from "../../ui/Badge";
import { Glyph } from "../../ui/Glyph";
import { useKept } from "../../ui/kept";
import { ApprovalLine } from "./ApprovalLine";
import { Asked, PlanStep } from "./Asked";
import { StepContext } from "./context";
import { baseName, fileOf, firstArgument, oneLine } from "./input.logic";
import { kindOf, type ToolKind } from "./kinds";
import { pictureOf } from "./result.logic";
import { shellTail } from "./Shell";
import { StepBody } from "./StepBody";
import { StepHead } from "./StepHead";
import { TodoList } from "./TodoList";
import { ToolIcon } from "./ToolIcon";
import { changeOf, failed, linesWritten, lookOf, type StepRow, type ToolLook } from "./toolcall.logic";

type RowsProps = {
  rows: readonly StepRow[];
  /** A long table is drawn in pieces: these are the ones with its upper and its lower edge. */
  first?: boolean;
  last?: boolean;
};

/** Rows of what an agent did. */
export const StepRows = memo(function StepRows({ rows, first = true, last = true }: RowsProps) {
  const { siding } = useContext(StepContext);
  return (
    <ul
      className={clsx(
        "divide-y divide-line overflow-hidden",
        siding !== true && [
          "border-x border-b bg-raised",
          first && "rounded-t-3 border-t",
          last ? "rounded-b-3 border-line-2" : "border-x-line-2 border-t-line-2",
        ],
      )}
    >
      {rows.map((row) =>
        row.kind === "several" ? (
          <Several key={row.key} id={row.key} steps={row.steps} />
        ) : (
          <One key={row.step.key} step={row.step} />
        ),
      )}
    </ul>
  );
});

function One({ step }: { step: Step }) {
  switch (step.kind) {
    case "tool":
      return <Tool step={step} />;
    case "todo":
      return <Todo step={step} />;
    case "approval":
      return step.approval.kind === "plan" ? <PlanStep step={step} /> : <Alone step={step} />;
    case "question":
      return <Asked step={step} />;
  }
}

function Alone({ step }: { step: ApprovalStep }) {
  return (
    <li className="px-3 py-1.5">
      <p className="truncate text-ui font-medium">{step.approval.title}</p>
      <ApprovalLine approval={step.approval} />
    </li>
  );
}

/** Steps whose effect is worth seeing without a click. */
const openKinds = new Set<ToolKind>(["edit", "shell", "write", "agent", "plan"]);

const Tool = memo(function Tool({ step }: { step: ToolStep }) {
  const id = useId();
  const { over, cwd, siding } = useContext(StepContext);
  const [chosen, choose] = useKept(step.key);
  const look = lookOf(step, over, cwd);
  const diff = changeOf(step);
  const open = chosen ?? ((openKinds.has(look.kind) && siding !== true) || failed(step));
  const running = step.result === undefined && !over;
  const written = look.kind === "shell" && open ? linesWritten(step) : 0;
  return (
    <li>
      <StepHead
        icon={
          running ? (
            <Glyph signal="running" size={14} />
          ) : (
            <ToolIcon kind={look.kind} picture={look.kind === "read" && pictureOf(step) !== null} />
          )
        }
        verb={look.verb}
        target={look.target}
        open={open}
        onToggle={() => choose(!open)}
        controls={id}
        time={look.time}
      >
        {written > shellTail ? (
          <span className="hidden flex-none text-small text-ink-2 sm:inline">
            {t("lines.last", { n: shellTail, all: written })}
          </span>
        ) : null}
        <Result look={look} />
        {look.tone === "diff" && diff !== null ? (
          <span className="flex-none font-mono text-count">
            <span className="text-add-ink">+{diff.added}</span>{" "}
            {look.kind === "edit" ? <span className="text-del-ink">-{diff.removed}</span> : null}
          </span>
        ) : null}
      </StepHead>
      {step.approvals.map((approval) => (
        <Quiet key={approval.id} approval={approval} />
      ))}
      {open ? (
        <div id={id} className="border-t border-line">
          <StepBody step={step} kind={look.kind} diff={diff} />
        </div>
      ) : null}
    </li>
  );
});

function Quiet({ approval }: { approval: ApprovalState }) {
  return (
    <div className="px-3 pb-1.5 ps-8.5">
      <ApprovalLine approval={approval} />
    </div>
  );
}

function Result({ look }: { look: ToolLook }) {
  if (look.result === "") return null;
  const badge = look.kind === "shell";
  if (badge && look.tone !== "plain")
    return <Badge tone={look.tone === "clear" ? "clear" : "stop"}>{look.result}</Badge>;
  return (
    <span className={clsx("flex-none text-small", look.tone === "stop" ? "text-stop" : "text-ink-2")}>
      {look.result}
    </span>
  );
}

const verbs: Readonly<Partial<Record<ToolKind, Key>>> = {
  read: "tool.reads",
  search: "tool.searches",
  glob: "tool.globs",
  fetch: "tool.fetches",
  websearch: "tool.websearches",
};

/** Neighbours of the same tool in one row. */
function Several({ id: key, steps }: { id: string; steps: readonly ToolStep[] }) {
  const id = useId();
  const { over, cwd } = useContext(StepContext);
  const [chosen, choose] = useKept(key);
  const open = chosen === true;
  const [first] = steps;
  if (first === undefined) return null;
  const kind = kindOf(first);
  const verb = verbs[kind];
  const names =
    verb === undefined
      ? t("tool.calls", { n: steps.length })
      : steps.slice(0, 20).map((s) => (kind === "read" ? baseName(fileOf(s.input)) : firstArgument(s.input)));
  const ms = steps.reduce((sum, s) => sum + (s.result?.ms ?? 0), 0);
  return (
    <li>
      <StepHead
        icon={<ToolIcon kind={kind} />}
        verb={verb === undefined ? lookOf(first, over, cwd).verb : t(verb, { n: steps.length })}
        target={typeof names === "string" ? names : oneLine(names.join(", "))}
        open={open}
        onToggle={() => choose(!open)}
        controls={id}
        time={duration(ms)}
      />
      {open ? (
        <ul id={id} className="divide-y divide-line border-t border-line">
          {steps.map((step) => (
            <Tool key={step.key} step={step} />
          ))}
        </ul>
      ) : null}
    </li>
  );
}

function Todo({ step }: { step: TodoStep }) {
  const id = useId();
  const [chosen, choose] = useKept(step.key);
  const open = chosen ?? true;
  const done = step.items.filter((i) => i.status === "completed").length;
  return (
    <li>
      <StepHead
        icon={<ToolIcon kind="list" />}
        verb={t("tool.list")}
        target={t("tool.list.count", { done, all: step.items.length })}
        open={open}
        onToggle={() => choose(!open)}
        controls={id}
        time=""
      />
      {open ? (
        <div id={id} className="border-t border-line">
          <TodoList items={step.items} />
        </div>
      ) : null}
    </li>
  );
}
