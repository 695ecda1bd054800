import { Menu } from "@mantine/core";
import { Fragment, type ReactElement } from "react";
import { LoadedMenu } from "../../components/LoadedMenu";

/** An action of a meeting's menu. */
export interface MenuEntry {
  readonly label: string;
  readonly act: () => void;
  readonly opensDialog?: boolean;
  /** True while it is being read whether the action is possible. The entry has its place already. */
  readonly isPending?: boolean;
}

interface MeetingMenuProps {
  /** The button that opens the menu. */
  readonly target: ReactElement;
  /** Entries in groups, with a line between them. */
  readonly groups: readonly (readonly MenuEntry[])[];
}

/** A menu of actions on a meeting. Loaded by the first click, then opens. */
export default function MeetingMenu({ target, groups }: MeetingMenuProps) {
  return (
    <LoadedMenu position="bottom-end">
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown mah="80dvh" style={{ overflowY: "auto" }}>
        {groups.map((entries, at) => (
          <Fragment key={entries[0]?.label}>
            {at > 0 && <Menu.Divider />}
            {entries.map(({ label, act, opensDialog, isPending }) => (
              <Menu.Item
                key={label}
                onClick={act}
                disabled={isPending === true}
                aria-haspopup={opensDialog ? "dialog" : undefined}
              >
                {label}
              </Menu.Item>
            ))}
          </Fragment>
        ))}
      </Menu.Dropdown>
    </LoadedMenu>
  );
}
