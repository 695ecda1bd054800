import { Alert, Button, Stack } from "@mantine/core";
import type { QueryKey } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { CopyLine } from "./actions";
import { useAction } from "./use-action";

/** Shows a new secret, once. `children` explains how to use it. */
export const SecretOnce = ({
  name,
  value,
  onClose,
  children,
}: {
  /** What it is, such as `key`. */
  name: string;
  value: string;
  onClose: () => void;
  children?: ReactNode;
}) => (
  <Alert
    color="green"
    title={`Copy the ${name} now. It is not shown again.`}
    withCloseButton
    closeButtonLabel={`Hide the ${name}`}
    onClose={onClose}
  >
    <Stack gap="xs">
      <CopyLine value={value} label={name} />
      {children}
    </Stack>
  </Alert>
);

/**
 * A button that enables or disables one thing.
 * @param noun what it is, such as "key"
 */
export function EnableButton({
  noun,
  disabled,
  changes,
  act,
}: {
  noun: string;
  disabled: boolean;
  changes: readonly QueryKey[];
  act: (action: "enable" | "disable") => Promise<unknown>;
}) {
  const action = disabled ? "enable" : "disable";
  const toggle = useAction(() => act(action), {
    failure: `Could not ${action} the ${noun}`,
    success: `${noun[0]?.toUpperCase()}${noun.slice(1)} ${action}d.`,
    changes,
  });
  return (
    <Button size="xs" variant="default" loading={toggle.isPending} onClick={() => toggle.run()}>
      {disabled ? "Enable" : "Disable"}
    </Button>
  );
}
