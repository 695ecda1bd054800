import { Alert, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { CopyLine } from "./actions";

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
