import { Button, type ButtonProps, Code, CopyButton, Group, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ReactNode } from "react";
import { getSentence } from "../api/transport";
import { Dialog } from "./Dialog";
import { showNote } from "./Notes";

/** Tells that something was done. */
export const tell = (message: string) => void showNote({ message, color: "green", autoClose: 4000 });

/** Tells why something was not done. */
export const tellFailure = (error: unknown) =>
  void showNote({
    title: "That did not work",
    message: getSentence(error),
    color: "red",
    autoClose: 8000,
  });

/** Copies a text with one click. */
export const Copy = ({ value, label, text = "Copy" }: { value: string; label: string; text?: string }) => (
  <CopyButton value={value} timeout={2000}>
    {({ copied, copy }) => (
      <Button
        variant="subtle"
        color={copied ? "teal" : "gray"}
        size="compact-xs"
        onClick={copy}
        aria-label={label}
      >
        {copied ? "Copied" : text}
      </Button>
    )}
  </CopyButton>
);

/** A line of code with a button that copies it. */
export const CopyLine = ({ value, label }: { value: string; label: string }) => (
  <Group gap="xs" wrap="nowrap" align="flex-start">
    <Code block flex={1} className="wrap-anywhere" tabIndex={0} aria-label={label}>
      {value}
    </Code>
    <Copy value={value} label={`Copy ${label}`} />
  </Group>
);

/** A button that asks before it does something that can't be undone; `children` says what will be gone. */
export function ConfirmButton({
  label,
  title,
  confirm,
  children,
  onConfirm,
  ...props
}: ButtonProps & {
  label: string;
  title: string;
  confirm: string;
  children: ReactNode;
  onConfirm: () => Promise<unknown>;
}) {
  const [opened, { open, close }] = useDisclosure(false);
  const run = () => onConfirm().then(close, tellFailure);
  return (
    <>
      <Button variant="default" size="xs" {...props} onClick={open}>
        {label}
      </Button>
      <Dialog opened={opened} onClose={close} title={title}>
        <Stack>
          <Text size="sm" component="div">
            {children}
          </Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={close} data-autofocus>
              Cancel
            </Button>
            <Button color="red.9" onClick={run}>
              {confirm}
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </>
  );
}
