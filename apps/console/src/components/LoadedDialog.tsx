import { Modal, type ModalProps } from "@mantine/core";
import { useEffect, useState } from "react";

/** What takes the focus in a dialog. */
const FIRST = "[data-autofocus], input:not([type=hidden]), textarea, select";

/** Moves the focus to the first field once it has loaded, unless it is in the content already. @returns a function that stops it */
function focusFirstField(content: HTMLElement | null) {
  const dialog = content?.closest("[role=dialog]");
  if (!dialog || !content) return;
  const watch = new AbortController();
  const focus = () => {
    const first = content.querySelector<HTMLElement>(FIRST);
    // The library focuses the close button if it finds nothing else, a moment after it opens the dialog.
    if (first && dialog.contains(document.activeElement)) {
      watch.abort();
      if (!content.contains(document.activeElement)) first.focus({ preventScroll: true });
    }
  };
  const loaded = new MutationObserver(focus);
  loaded.observe(content, { childList: true, subtree: true });
  watch.signal.addEventListener("abort", () => loaded.disconnect());
  dialog.addEventListener("focusin", focus, { signal: watch.signal });
  return () => watch.abort();
}

/** Gives the focus back to what had it before a dialog, or to the heading of the page if that is gone. */
function useFocusReturn(isOpen: boolean): void {
  useEffect(() => {
    if (!isOpen) return;
    const opener = document.activeElement as HTMLElement | null;
    return () => {
      const last = document.activeElement;
      // What closes the dialog can move the focus itself.
      setTimeout(() => {
        const { activeElement: now, body } = document;
        if (now !== last && now !== body) return;
        const target = opener?.isConnected ? opener : document.querySelector<HTMLElement>("main h1");
        target?.focus({ preventScroll: true });
      }, 10);
    };
  }, [isOpen]);
}

/** The library's dialog. It opens after it is mounted, so that the focus returns to the button that opened it. */
export default function LoadedDialog({ opened, children, ...props }: ModalProps) {
  const [isMounted, setMounted] = useState(false);
  useEffect(() => setMounted(true), []);
  const isOpen = opened && isMounted;
  useFocusReturn(isOpen);
  return (
    <Modal opened={isOpen} returnFocus={false} {...props}>
      <div ref={focusFirstField}>{children}</div>
    </Modal>
  );
}
