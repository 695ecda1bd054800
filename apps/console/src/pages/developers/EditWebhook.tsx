import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { lazy } from "react";
import { loadWhenReachable } from "../../api/connection";
import { Dialog } from "../../components/Dialog";
import type { EditProps } from "./WebhookForm";

const WebhookForm = lazy(() => loadWhenReachable(() => import("./WebhookForm")));

/** A button that opens the form to create or edit a webhook. */
export function EditWebhook(props: EditProps) {
  const { webhook } = props;
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button
        onClick={open}
        aria-haspopup="dialog"
        {...(webhook ? { size: "xs", variant: "default" } : { size: "sm" })}
      >
        {webhook ? "Edit" : "Create a webhook"}
      </Button>
      <Dialog opened={opened} onClose={close} title={webhook ? `Edit “${webhook.name}”` : "Create a webhook"}>
        <WebhookForm {...props} onDone={close} />
      </Dialog>
    </>
  );
}
