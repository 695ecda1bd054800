import { Menu } from "@mantine/core";
import type { ReactElement } from "react";
import { LoadedMenu } from "../../components/LoadedMenu";

interface MeetingMenuProps {
  /** The button that opens the menu. */
  readonly target: ReactElement;
  readonly entries: readonly { readonly label: string; readonly act: () => void }[];
}

/** A menu of actions on a meeting. Loaded by the first click, then opens. */
export default function MeetingMenu({ target, entries }: MeetingMenuProps) {
  return (
    <LoadedMenu position="bottom-end">
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>
        {entries.map(({ label, act }) => (
          <Menu.Item key={label} onClick={act}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </LoadedMenu>
  );
}
