/** Returns the page to go to after sign-in: an address of this site, or the meetings. */
export function toOwnAddress(to: string | undefined): string {
  const home = new URL("/meetings", location.origin);
  if (to === undefined || !URL.canParse(to, location.origin)) return home.href;
  const url = new URL(to, location.origin);
  // The whole address: a path such as `//evil.example` alone would lead to another site.
  return url.origin === location.origin ? url.href : home.href;
}

/** Returns the address of the sign-in page, which leads back to the page that is open now. */
export const toSignInPage = (): string =>
  `/sign-in?to=${encodeURIComponent(location.pathname + location.search)}`;
