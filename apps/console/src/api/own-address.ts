/** Returns the page to open after sign-in: a URL of this site, or the meetings. */
export function toOwnAddress(to: string | undefined): string {
  const home = new URL("/meetings", location.origin);
  if (to === undefined || !URL.canParse(to, location.origin)) return home.href;
  const url = new URL(to, location.origin);
  // An absolute URL, because a path such as `//evil.example` would lead to another site.
  return url.origin === location.origin ? url.href : home.href;
}

/** Returns the URL of the sign-in page, which returns to the current page. */
export const toSignInPage = (): string =>
  `/sign-in?to=${encodeURIComponent(location.pathname + location.search)}`;
