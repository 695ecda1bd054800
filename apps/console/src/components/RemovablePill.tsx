import { Pill } from "@mantine/core";
import type { ReactNode } from "react";

/**
 * Shows something that can be taken away, such as a person with whom something is shared.
 * @param label what the button does; the keyboard reaches it, which the library's own buttons don't allow
 * @param onRemove absent: there is no button
 */
export const RemovablePill = ({
  label,
  large = false,
  onRemove,
  children,
}: {
  label: string;
  large?: boolean;
  onRemove: (() => void) | undefined;
  children: ReactNode;
}) => (
  <Pill
    size={large ? "lg" : "sm"}
    withRemoveButton={onRemove !== undefined}
    onRemove={() => onRemove?.()}
    removeButtonProps={{ "aria-label": label, tabIndex: 0, "aria-hidden": false }}
  >
    {children}
  </Pill>
);
