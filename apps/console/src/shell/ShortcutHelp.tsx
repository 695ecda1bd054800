import { Checkbox, Stack } from "@mantine/core";
import { useState } from "react";
import { FactTable } from "../components/DataTable";
import { areShortcutsOn, SHORTCUTS, setShortcuts } from "./shortcuts";

/** Lists the keys, and turns those without a modifier off. */
export default function ShortcutHelp() {
  const [isOn, setOn] = useState(areShortcutsOn);
  return (
    <Stack>
      <FactTable facts={SHORTCUTS} />
      <Checkbox
        label="Use the keys without Ctrl"
        checked={isOn}
        onChange={(event) => {
          setShortcuts(event.currentTarget.checked);
          setOn(event.currentTarget.checked);
        }}
      />
    </Stack>
  );
}
