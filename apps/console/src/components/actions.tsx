import { Button, type ButtonProps, Code, CopyButton, Group, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import type { QueryKey } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Dialog } from "./Dialog";
import { useAction } from "./use-action";

/** Copies a text with one click. */
export const Copy = ({ value, label, text = "Copy" }: { value: string; label: string; text?: string }) => (
  <CopyButton value={value} timeout={2000}>
    {({ copied, copy }) => (
      <Button
        variant="subtle"
        color={copied ? "teal" : "gray"}
        size="compact-sm"
        leftSection={copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
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

interface ConfirmDialogProps {
  readonly title: string;
  /** Label of the confirm button. */
  readonly confirm: string;
  /** Text that says what will be deleted. */
  readonly children: ReactNode;
  readonly act: () => Promise<unknown>;
  readonly failure: string;
  readonly success?: string | undefined;
  readonly changes?: readonly QueryKey[] | undefined;
}

/** Asks for confirmation before an irreversible action. */
export function ConfirmDialog({
  opened,
  close,
  title,
  confirm,
  children,
  act,
  failure,
  success,
  changes,
  disabled = false,
}: ConfirmDialogProps & {
  readonly opened: boolean;
  readonly close: () => void;
  /** True while the dialog does not show yet what the action does. */
  readonly disabled?: boolean;
}) {
  const action = useAction(act, {
    failure,
    onSuccess: close,
    ...(success === undefined ? {} : { success }),
    ...(changes === undefined ? {} : { changes }),
  });
  return (
    <Dialog opened={opened} onClose={close} title={title}>
      <Stack>
        <Text size="sm" component="div">
          {children}
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={close} data-autofocus>
            Cancel
          </Button>
          <Button color="red.9" loading={action.isPending} disabled={disabled} onClick={() => action.run()}>
            {confirm}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

type ConfirmProps = ConfirmDialogProps &
  Omit<ButtonProps, keyof ConfirmDialogProps> & { readonly label: string };

/** A button that asks for confirmation before an irreversible action. */
export function ConfirmButton(props: ConfirmProps) {
  const { label, title, confirm, children, act, failure, success, changes, ...button } = props;
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="default" size="xs" {...button} onClick={open} aria-haspopup="dialog">
        {label}
      </Button>
      <ConfirmDialog opened={opened} close={close} {...{ title, confirm, act, failure, success, changes }}>
        {children}
      </ConfirmDialog>
    </>
  );
}
