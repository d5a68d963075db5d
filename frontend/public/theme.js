// Sets the theme before anything is painted. src/app/theme.ts changes it later.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("signalbox.theme.1");
  } catch {
    // Without storage the system decides.
  }
  const dark =
    chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
})();
