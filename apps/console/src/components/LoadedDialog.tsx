import { Modal, type ModalProps } from "@mantine/core";
import { useEffect, useState } from "react";

/** The library's dialog. It opens after it is mounted, so that the focus returns to the button that opened it. */
export default function LoadedDialog({ opened, ...props }: ModalProps) {
  const [isMounted, setMounted] = useState(false);
  useEffect(() => setMounted(true), []);
  return <Modal opened={opened && isMounted} {...props} />;
}
