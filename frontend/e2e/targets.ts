import type { Page } from "playwright-core";

/** What a finger needs, in pixels: as much to press, and as much between two things that stand side by side. */
const least = 44;
const apart = 12;

/**
 * What of the page as it stands a finger would not hit well: too small, or too near to what stands beside it.
 * The parts of one control (tabs, segments) may touch; a station is small, since the head of its prompt does the same.
 */
export async function hardToHit(page: Page): Promise<readonly string[]> {
  return page.evaluate(
    ([size, gap]) => {
      const all = "button, a[href], input, select, textarea, [role^=menuitem], [role=option]";
      const parts = "[role=tab], [aria-pressed], [type=radio], [data-station]";
      const name = (e: Element) =>
        `${e.localName} “${(e.getAttribute("aria-label") ?? e.textContent).trim().slice(0, 40)}”`;
      /** A field is pressed with its label, too. */
      const boxes = (e: Element) =>
        [e, ...(e instanceof HTMLInputElement ? (e.labels ?? []) : [])].flatMap((one) => {
          const after = getComputedStyle(one, "::after");
          const over = after.position === "absolute" && after.content !== "none";
          const around = over && one instanceof HTMLElement ? one.offsetParent : null;
          return [one, ...(around === null ? [] : [around])].map((box) => box.getBoundingClientRect());
        });
      const onTop = (e: Element) => {
        const { left, top, width, height } = e.getBoundingClientRect();
        const [x, y] = [left + width / 2, top + height / 2];
        if (width < 2 || x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) return false;
        const hit = document.elementFromPoint(x, y);
        const labels = e instanceof HTMLInputElement ? [...(e.labels ?? [])] : [];
        return [e, ...labels].some((one) => hit !== null && one.contains(hit));
      };
      const targets = [...document.querySelectorAll(all)]
        .filter((e) => e.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && onTop(e))
        .filter((e) => !e.matches(parts));
      // A pixel is given, since places are no whole numbers.
      const small = targets
        .filter((e) => !boxes(e).some(({ width, height }) => Math.min(width, height) >= size - 0.5))
        .map((e) => `small: ${name(e)}`);
      const near = targets.flatMap((a, i) =>
        targets.slice(i + 1).flatMap((b) => {
          const [p, q] = [a.getBoundingClientRect(), b.getBoundingClientRect()];
          const beside = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 4;
          const between = Math.max(p.left, q.left) - Math.min(p.right, q.right);
          return beside && between > -1 && between < gap - 0.5 ? [`near: ${name(a)}, ${name(b)}`] : [];
        }),
      );
      return [...small, ...near];
    },
    [least, apart] as const,
  );
}
