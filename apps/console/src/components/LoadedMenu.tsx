import { Menu, type MenuProps } from "@mantine/core";
import { useState } from "react";
import { useLayer } from "../api/layers";

/** Moves the focus from an entry of a menu to the menu's button, to which a dialog that the entry opens gives it back. */
function focusButton(): void {
  const menu = document.activeElement?.closest("[role=menu]");
  document.getElementById(menu?.getAttribute("aria-labelledby") ?? "")?.focus();
}

/** The library's menu, which the browser's Back closes. It is open when it is first drawn. */
export function LoadedMenu(props: MenuProps) {
  const [opened, setOpened] = useState(true);
  const change = (isOpen: boolean) => {
    if (!isOpen) focusButton();
    setOpened(isOpen);
  };
  useLayer(opened, () => change(false));
  // The library would return the focus a moment later, also from a field that an entry has opened.
  return <Menu opened={opened} onChange={change} returnFocus={false} shadow="md" {...props} />;
}
