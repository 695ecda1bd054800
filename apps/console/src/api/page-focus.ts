/** True from a navigation to another page until its heading has taken the focus. */
let isWanted = false;

/** Makes the next page that opens take the focus. */
export function wantPageFocus(): void {
  isWanted = true;
}

/** Focuses a field of a page that opens, instead of its heading. */
export function focusField(field: HTMLElement | null): void {
  isWanted = false;
  field?.focus();
}

/** Focuses a page's heading after a navigation, so the keyboard and screen readers continue there. */
export function focusHeading(heading: HTMLElement | null): void {
  if (!isWanted || heading === null) return;
  isWanted = false;
  // The router restores the scroll position.
  heading.focus({ preventScroll: true });
}
