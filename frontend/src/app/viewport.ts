/**
 * Keeps the page as high as what the keyboard of a phone leaves free, so that the composer stays above
 * it, where the browser does not do that by itself.
 */
export function followViewport(): void {
  const view = window.visualViewport;
  if (view === null) return;
  const set = () => {
    // While the page is zoomed in, its height is not the keyboard's doing.
    const height = view.scale > 1.01 ? "" : `${view.height}px`;
    document.documentElement.style.setProperty("--view-height", height === "" ? "100dvh" : height);
    if (height !== "") window.scrollTo(0, 0);
  };
  view.addEventListener("resize", set);
  set();
}
