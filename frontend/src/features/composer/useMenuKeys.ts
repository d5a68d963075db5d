import { useEffect, useState } from "react";
import { layerOpen } from "../../ui/keys";

type Menu = "" | "mode" | "model";

/** Which menu of the composer is open: Cmd+. opens that of the modes, Cmd+; that of the models. */
export function useMenuKeys(): { readonly menu: Menu; readonly setMenu: (menu: Menu) => void } {
  const [menu, setMenu] = useState<Menu>("");
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.metaKey || event.ctrlKey) || event.shiftKey || event.altKey || event.isComposing) return;
      const wanted = event.key === "." ? "mode" : event.key === ";" ? "model" : "";
      if (wanted === "" || layerOpen()) return;
      event.preventDefault();
      setMenu(wanted);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  return { menu, setMenu };
}
