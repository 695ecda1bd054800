/** Reads a page's one-time token from the address, and keeps it in this tab for a reload. */
export function keepToken(page: "invitation" | "setup"): string {
  const token = location.hash.slice(1);
  if (token !== "") sessionStorage.setItem(page, token);
  return token || (sessionStorage.getItem(page) ?? "");
}

/** Forgets the token once it is used. */
export const forgetToken = (page: "invitation" | "setup") => sessionStorage.removeItem(page);
