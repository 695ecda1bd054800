/** An entry of the browser's history. */
interface Entry {
  readonly href: string;
  readonly state: { readonly __TSR_key?: string };
}

/** True from a navigation to another page until its heading has taken the focus. */
let isWanted = false;
/** The address for which each entry was left last, by the entry's key. */
const leftFor = new Map<string | undefined, string>();
/** The address from which the reader comes back to the page that opens. */
let returnsFrom: string | undefined;

/** Makes the next page that opens take the focus. */
export function wantPageFocus(from: Entry, to: Entry): void {
  isWanted = true;
  leftFor.set(from.state.__TSR_key, to.href);
  returnsFrom = leftFor.get(to.state.__TSR_key);
}

/** Focuses a field of a page that opens, instead of its heading. */
export function focusField(field: HTMLElement | null): void {
  isWanted = false;
  field?.focus();
}

/**
 * Focuses a page's heading after a navigation, so the keyboard and screen readers continue there; on a page to which the
 * reader returns, the link that they followed.
 */
export function focusHeading(heading: HTMLElement | null): void {
  if (!isWanted || heading === null) return;
  isWanted = false;
  // The router restores the scroll position.
  heading.focus({ preventScroll: true });
  if (returnsFrom !== undefined) focusLink(returnsFrom, heading);
}

/** Moves the focus from a heading to the link to an address once it is drawn, unless the reader has moved it. */
function focusLink(href: string, heading: HTMLElement): void {
  const find = () => {
    const link = document.querySelector<HTMLElement>(`main a[href=${JSON.stringify(href)}]`);
    link?.focus({ preventScroll: true });
    return document.activeElement !== heading;
  };
  if (find()) return;
  const drawn = new MutationObserver(() => find() && drawn.disconnect());
  drawn.observe(document.body, { childList: true, subtree: true });
}
