import { Pill } from "@mantine/core";
import type { ReactNode } from "react";

/**
 * A pill that can be removed, such as a tag.
 * @param label of the button, which can be focused, unlike the library's own
 * @param onRemove shows a button if given
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
