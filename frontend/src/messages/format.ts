import { beginning, ending } from "../text/characters";
import { t } from "./t";

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const dayAndYear = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" });
const weekday = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" });
const weekdayAndYear = new Intl.DateTimeFormat(undefined, {
  weekday: "long",
  day: "numeric",
  month: "long",
  year: "numeric",
});

/** "14:06" in the reader's zone. */
export function clockTime(at: string | number): string {
  return clock.format(new Date(at));
}

/** "Today", "Yesterday", "Monday, 30 November", and the year of another one: for the lines between days. */
export function dayName(at: string, now: number): string {
  const date = new Date(at);
  const today = new Date(now);
  const days = Math.round((startOf(today) - startOf(date)) / 86_400_000);
  if (days === 0) return t("day.today");
  if (days === 1) return t("day.yesterday");
  return (date.getFullYear() === today.getFullYear() ? weekday : weekdayAndYear).format(date);
}

/** The begin of a day in the reader's zone. */
function startOf(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

/** The clock today, else the date. */
export function shortDate(at: string, now: number): string {
  const date = new Date(at);
  const today = new Date(now);
  if (date.toDateString() === today.toDateString()) return clock.format(date);
  return (date.getFullYear() === today.getFullYear() ? day : dayAndYear).format(date);
}

/** The clock today, else the date and the clock. */
export function dateAndTime(at: string, now: number): string {
  const date = shortDate(at, now);
  const time = clockTime(at);
  return date === time ? time : `${date} ${time}`;
}

/** "now", "4m", "2h", "1d": how long ago, in one place. */
export function age(at: string, now: number): string {
  const minutes = Math.floor((now - Date.parse(at)) / 60_000);
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes}m`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)}h`;
  if (minutes < 7 * 24 * 60) return `${Math.floor(minutes / (24 * 60))}d`;
  return shortDate(at, now);
}

/** "0.2s", "48s", "1m 42s", "2h 3m". */
export function duration(ms: number): string {
  const s = Math.max(0, ms) / 1000;
  if (s < 9.95) return `${s.toFixed(1)}s`;
  if (s < 59.5) return `${Math.round(s)}s`;
  const total = Math.round(s);
  const minutes = Math.floor(total / 60);
  if (minutes < 60) return `${minutes}m ${String(total % 60).padStart(2, "0")}s`;
  return `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}

/** Whole seconds, for a clock that runs. */
export function elapsed(ms: number): string {
  return ms < 9_950 ? `${Math.max(0, Math.floor(ms / 1000))}s` : duration(ms);
}

/** "999", "18.4k", "1.2M". */
export function compact(n: number): string {
  if (n < 1000) return String(Math.round(n));
  if (n < 999_500) return `${trimmed(n / 1000)}k`;
  return `${trimmed(n / 1_000_000)}M`;
}

function trimmed(n: number): string {
  return n < 100 ? n.toFixed(1).replace(/\.0$/, "") : String(Math.round(n));
}

/** "$0.21", and more places for less than a cent. */
export function money(usd: number): string {
  return `$${usd >= 0.01 || usd === 0 ? usd.toFixed(2) : usd.toPrecision(1)}`;
}

/** "4 KB", "12 MB", "53 GB". */
export function bytes(n: number): string {
  if (n < 1000) return `${n} B`;
  if (n < 999_500) return `${trimmed(n / 1000)} KB`;
  if (n < 999_500_000) return `${trimmed(n / 1_000_000)} MB`;
  return `${trimmed(n / 1_000_000_000)} GB`;
}

/** Words of somebody else as a sentence beside ours: with a sign at its end. */
export function sentence(words: string): string {
  const text = words.trim();
  return text === "" || /[.!?…。！？]$/.test(text) ? text : `${text}.`;
}

/** A long path loses its middle: both ends say more. */
export function shortPath(path: string): string {
  return path.length <= 40 ? path : `${beginning(path, 16)}…${ending(path, 23)}`;
}
