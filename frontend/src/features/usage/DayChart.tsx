import { useId } from "react";
import { compact } from "../../messages/format";
import { t } from "../../messages/t";
import type { Sum } from "../../wire/types";
import { ceiling, everyDay, tokensOf } from "./usage.logic";

const width = 640;
const height = 150;
const left = 44;
const foot = 20;

/** The tokens of each day as bars; the table beside it says the same to those who do not see them. */
export function DayChart({ sums, now, days }: { sums: readonly Sum[]; now: number; days: number }) {
  const id = useId();
  const bars = everyDay(sums, now, days);
  const top = ceiling(Math.max(...bars.map(({ sum }) => (sum === undefined ? 0 : tokensOf(sum)))));
  const step = (width - left) / days;
  const y = (tokens: number) => (height - foot) * (1 - tokens / top) + 4;
  const every = Math.ceil(days / 7);
  return (
    <svg
      role="img"
      aria-labelledby={id}
      viewBox={`0 0 ${width} ${height + 8}`}
      className="w-full max-w-160 font-mono text-count"
    >
      <title id={id}>{t("usage.chart", { n: days })}</title>
      {[0, top / 2, top].map((tokens) => (
        <g key={tokens}>
          <line x1={left} x2={width} y1={y(tokens)} y2={y(tokens)} className="stroke-line" />
          <text x={left - 6} y={y(tokens) + 4} textAnchor="end" className="fill-ink-3">
            {compact(tokens)}
          </text>
        </g>
      ))}
      {bars.map(({ day, sum }, i) => {
        const tokens = sum === undefined ? 0 : tokensOf(sum);
        return (
          <g key={day}>
            <rect
              x={left + i * step + step * 0.15}
              width={step * 0.7}
              y={y(tokens)}
              height={Math.max(0, y(0) - y(tokens))}
              className="fill-(--ch1)"
            >
              <title>{t("usage.bar", { day, tokens: compact(tokens) })}</title>
            </rect>
            {(days - 1 - i) % every === 0 ? (
              <text x={left + (i + 0.5) * step} y={height + 2} textAnchor="middle" className="fill-ink-3">
                {day.slice(8)}
              </text>
            ) : null}
          </g>
        );
      })}
    </svg>
  );
}
