import { clsx } from "clsx";
import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { agentsQuery } from "../../api/queries";
import { compact } from "../../messages/format";
import { t } from "../../messages/t";
import { useMedia } from "../../ui/useMedia";
import type { Sum } from "../../wire/types";
import { ceiling, everyDay, type Series, seriesOf, tokensOf, usedBy } from "./usage.logic";

const height = 150;
const left = 44;
const foot = 20;

const fills = ["fill-(--ch1)", "fill-(--ch2)", "fill-(--ch3)", "fill-(--ch4)"] as const;
const dots = ["bg-(--ch1)", "bg-(--ch2)", "bg-(--ch3)", "bg-(--ch4)"] as const;

/** The tokens of each day as bars, of each agent in its colour; a table says the same to those who do not see them. */
export function DayChart({ sums, now, days }: { sums: readonly Sum[]; now: number; days: number }) {
  const id = useId();
  const bars = everyDay(sums, now, days);
  const top = ceiling(Math.max(...bars.map(({ sum }) => (sum === undefined ? 0 : tokensOf(sum)))));
  // Drawn at its size, so that its figures can be read on a phone.
  const width = useMedia("(max-width: 639px)") ? 320 : 640;
  const step = (width - left) / days;
  const y = (tokens: number) => (height - foot) * (1 - tokens / top) + 4;
  const every = Math.ceil(days / 7);
  const offered = useQuery(agentsQuery).data?.agents.map(({ info }) => info) ?? [];
  const series = seriesOf(sums, offered, t("usage.others"));
  return (
    <>
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
          const stacked = series.map((one, n) => ({
            ...one,
            tokens: usedBy(one, sum),
            from: series.slice(0, n).reduce((under, other) => under + usedBy(other, sum), 0),
          }));
          return (
            <g key={day}>
              {stacked.map(({ name, tokens, from }, n) =>
                tokens === 0 ? null : (
                  <rect
                    key={name}
                    x={left + i * step + step * 0.15}
                    width={step * 0.7}
                    y={y(from + tokens)}
                    height={Math.max(0, y(from) - y(from + tokens))}
                    className={fills[n]}
                  >
                    <title>{t("usage.bar", { day, agent: name, tokens: compact(tokens) })}</title>
                  </rect>
                ),
              )}
              {(days - 1 - i) % every === 0 ? (
                <text x={left + (i + 0.5) * step} y={height + 2} textAnchor="middle" className="fill-ink-3">
                  {day.slice(8)}
                </text>
              ) : null}
            </g>
          );
        })}
      </svg>
      <AgentDays caption={t("usage.chart.table", { n: days })} series={series} bars={bars} />
      <ul aria-label={t("usage.series")} className="flex flex-wrap gap-x-4 pt-2 text-small text-ink-2">
        {series.map(({ name }, n) => (
          <li key={name} className="inline-flex items-center gap-1.5">
            <span
              aria-hidden="true"
              className={clsx("size-2.5 rounded-1 forced-color-adjust-none", dots[n])}
            />
            <bdi>{name}</bdi>
          </li>
        ))}
      </ul>
    </>
  );
}

type TableProps = { caption: string; series: readonly Series[]; bars: ReturnType<typeof everyDay> };

/** What the chart draws, as figures for a screen reader: the days on which something ran, the latest first. */
function AgentDays({ caption, series, bars }: TableProps) {
  const used = bars.filter(({ sum }) => sum !== undefined && tokensOf(sum) > 0).toReversed();
  return (
    <div className="sr-only">
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{t("usage.by.day")}</th>
            {series.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {used.map(({ day, sum }) => (
            <tr key={day}>
              <th scope="row">{day}</th>
              {series.map((one) => (
                <td key={one.name}>{compact(usedBy(one, sum))}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
