// Sets the theme before anything is painted, and again when the system changes its own.
// src/app/theme.ts changes it when somebody chooses.
(() => {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    let chosen = null;
    try {
      chosen = localStorage.getItem("signalbox.theme.1");
    } catch {
      // Without storage the system decides.
    }
    const dark = chosen === "dark" || (chosen !== "light" && system.matches);
    document.documentElement.dataset.theme = dark ? "dark" : "light";
  };
  apply();
  system.addEventListener("change", apply);
})();
