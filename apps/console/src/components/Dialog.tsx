import type { ModalProps } from "@mantine/core";
import { lazy, Suspense, useState } from "react";

/** Loads the library of dialogs. A page that has none open does without. */
export const loadDialogs = () => import("./modal");

const Modal = lazy(loadDialogs);

/** A dialog over the page. Its library is loaded when one is opened first. */
export function Dialog(props: ModalProps) {
  const [wasOpened, setWasOpened] = useState(props.opened);
  if (props.opened && !wasOpened) setWasOpened(true);
  // Closed, it stays in place: it gives the focus back to the button that opened it.
  return wasOpened ? (
    <Suspense>
      <Modal
        centered
        closeButtonProps={{ "aria-label": "Close" }}
        // The page has a banner already.
        attributes={{ header: { role: "presentation" } }}
        {...props}
      />
    </Suspense>
  ) : null;
}
