import { Menu } from "@base-ui/react/menu";
import { Link } from "@tanstack/react-router";
import { Check, Keyboard, LogOut, Settings, SlidersHorizontal } from "lucide-react";
import { t } from "../messages/t";
import { useShortcuts } from "../ui/shortcuts";
import { themes, useTheme } from "./theme";

const item = "target flex items-center gap-2 rounded-2 px-2 text-ui outline-none data-highlighted:bg-hover";

type Props = { onSignOut: () => void; onVisit: () => void };

/** How the page looks, the settings, and the way out. */
export default function AccountMenu({ onSignOut, onVisit }: Props) {
  const { theme, choose } = useTheme();
  return (
    <Menu.Root>
      <Menu.Trigger
        aria-label={t("account")}
        title={t("account")}
        className="target inline-flex items-center justify-center rounded-2 text-ink-2 hover:bg-hover"
      >
        <Settings aria-hidden="true" size={16} strokeWidth={1.75} />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner side="top" align="end" sideOffset={6} className="z-(--z-menu)">
          <Menu.Popup className="opens min-w-56 rounded-3 border border-line-2 bg-raised p-1 shadow-3 outline-none">
            <Menu.Item
              className={item}
              render={<Link to="/settings/{-$part}" params={{ part: undefined }} onClick={onVisit} />}
            >
              <SlidersHorizontal aria-hidden="true" size={16} strokeWidth={1.75} className="text-ink-2" />
              {t("settings")}
            </Menu.Item>
            <Menu.Item
              className={item}
              render={<Link to="/settings/{-$part}" params={{ part: "keyboard" }} onClick={onVisit} />}
            >
              <Keyboard aria-hidden="true" size={16} strokeWidth={1.75} className="text-ink-2" />
              <span className="flex-1">{t("settings.keyboard")}</span>
              <Help />
            </Menu.Item>
            <Menu.Separator className="my-1 h-px bg-line" />
            <Menu.RadioGroup
              value={theme}
              onValueChange={(value: unknown) => {
                const picked = themes.find((name) => name === value);
                if (picked !== undefined) choose(picked);
              }}
            >
              <Menu.GroupLabel className="px-2 pt-1 text-caption font-semibold text-ink-3">
                {t("theme")}
              </Menu.GroupLabel>
              {themes.map((name) => (
                <Menu.RadioItem key={name} value={name} closeOnClick className={item}>
                  <span className="w-4">
                    <Menu.RadioItemIndicator>
                      <Check size={14} />
                    </Menu.RadioItemIndicator>
                  </span>
                  {t(`theme.${name}`)}
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
            <Menu.Separator className="my-1 h-px bg-line" />
            <Menu.Item className={item} onClick={onSignOut}>
              <LogOut aria-hidden="true" size={16} strokeWidth={1.75} className="text-ink-2" />
              {t("signout")}
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

function Help() {
  const { on, keys } = useShortcuts();
  return on ? (
    <kbd aria-hidden="true" className="hidden font-mono text-count text-ink-3 sm:inline">
      {keys.help.toUpperCase()}
    </kbd>
  ) : null;
}
