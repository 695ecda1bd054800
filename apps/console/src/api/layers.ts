import { createBrowserHistory, type RouterHistory } from "@tanstack/react-router";
import { useEffect, useRef } from "react";

/** Close functions of the open layers; the topmost layer is last. */
const layers: (() => void)[] = [];

/**
 * True while the browser is at the extra history entry, which Back leaves first, so the page stays. It has the page's address
 * and is added when a layer opens. It stays when the layer closes, because removing it would be a navigation.
 */
let isAtExtraEntry = isExtra(history.state);

function isExtra(state: unknown): boolean {
  return (state as { readonly isExtra?: boolean } | null)?.isExtra === true;
}

function addExtraEntry(): void {
  if (isAtExtraEntry) return;
  isAtExtraEntry = true;
  // Not the router's own, for which this would be another page.
  History.prototype.pushState.call(history, { ...history.state, isExtra: true }, "", location.href);
}

/**
 * Creates the history of the router, in which Back closes what is open above the page. The extra entry is nobody's page: the
 * next page replaces it.
 */
export function createPageHistory(): RouterHistory {
  // Before the router's own listener: browsers call those of the window in the order in which they were added.
  window.addEventListener("popstate", (event) => {
    const wasAtExtraEntry = isAtExtraEntry;
    isAtExtraEntry = isExtra(event.state);
    const isOtherPage = event.state?.__TSR_index !== pages.location.state.__TSR_index;
    if (isOtherPage || wasAtExtraEntry === isAtExtraEntry) return;
    event.stopImmediatePropagation();
    // Forward shows the page again, without what was open.
    if (isAtExtraEntry) return;
    const close = layers.at(-1);
    if (!close) return history.back();
    close();
    // Something is below it, or it stays open while it waits for the server.
    setTimeout(() => layers.length > 0 && addExtraEntry());
  });
  const pages = createBrowserHistory();
  const { push, replace } = pages;
  pages.push = (path, state, options) => {
    const go = isAtExtraEntry ? replace : push;
    isAtExtraEntry = false;
    go(path, state, options);
  };
  pages.replace = (path, state, options) =>
    replace(path, isAtExtraEntry ? { ...state, isExtra: true } : state, options);
  return pages;
}

/** Makes the browser's Back close something that is open above the page, such as a dialog, instead of leaving the page. */
export function useLayer(isOpen: boolean, close: () => void): void {
  const latest = useRef(close);
  latest.current = close;
  useEffect(() => {
    if (!isOpen) return;
    const layer = () => latest.current();
    layers.push(layer);
    addExtraEntry();
    return () => {
      layers.splice(layers.indexOf(layer), 1);
    };
  }, [isOpen]);
}
