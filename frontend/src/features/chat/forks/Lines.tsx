import type { Edge, ForkMap } from "./family.logic";

/** As high as a row of the list beside it. */
export const rowHeight = 44;
const laneWidth = 22;
const radius = 5;

function x(lane: number): number {
  return radius + 3 + lane * laneWidth;
}

function y(row: number): number {
  return row * rowHeight + rowHeight / 2;
}

/** The lines between the prompts, as a map beside their list. */
export function Lines({ map }: { map: ForkMap }) {
  const { rows, edges, lanes } = map;
  const width = x(Math.max(0, lanes - 1)) + radius + 3;
  const height = rows.length * rowHeight;
  return (
    <svg aria-hidden="true" width={width} height={height} viewBox={`0 0 ${width} ${height}`} fill="none">
      {edges.map((edge) => (
        <path
          key={edge.key}
          d={pathOf(map, edge)}
          stroke={edge.own ? "var(--ink)" : "var(--line-3)"}
          strokeWidth="2"
          {...(edge.dashed ? { strokeDasharray: "3 3" } : {})}
        />
      ))}
      {rows.map((row, i) => (
        <circle
          key={row.key}
          cx={x(row.lane)}
          cy={y(i)}
          r={radius}
          stroke={row.own ? "var(--ink)" : "var(--line-3)"}
          strokeWidth="2"
          fill={row.here ? "var(--ink)" : "var(--canvas)"}
          {...(row.kind === "cut" ? { strokeDasharray: "3 2" } : {})}
        />
      ))}
    </svg>
  );
}

/** Down the lane; where it changes, over to the other one at once and then down. */
function pathOf({ rows }: ForkMap, { from, to }: Edge): string {
  const start = rows[from];
  const end = rows[to];
  if (start === undefined || end === undefined) return "";
  const [x1, y1, x2, y2] = [x(start.lane), y(from), x(end.lane), y(to)];
  if (x1 === x2) return `M${x1} ${y1}V${y2}`;
  const turn = Math.min(y1 + rowHeight, y2);
  return `M${x1} ${y1}C${x1} ${(y1 + turn) / 2} ${x2} ${(y1 + turn) / 2} ${x2} ${turn}V${y2}`;
}
