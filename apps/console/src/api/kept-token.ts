/** Reads a page's one-time token from the URL, and keeps it in this tab across reloads. */
export function keepToken(page: "invitation" | "setup"): string {
  const token = location.hash.slice(1);
  if (token !== "") sessionStorage.setItem(page, token);
  return token || (sessionStorage.getItem(page) ?? "");
}

/** Discards a used token. */
export const forgetToken = (page: "invitation" | "setup") => sessionStorage.removeItem(page);
