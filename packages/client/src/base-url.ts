/** Builds `https://host/base/v1/me` from the base address and a path below it. @throws TypeError with the fix */
export function toServiceUrl(baseUrl: string, path: string): string {
  // `localhost:3000` parses as a URL whose scheme is `localhost:`.
  if (!/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new TypeError(
      `baseUrl must begin with https:// or http://, and ${JSON.stringify(baseUrl)} does not.`,
    );
  }
  const { origin, pathname } = new URL(baseUrl);
  let base = pathname;
  while (base.endsWith("/")) base = base.slice(0, -1);
  if (/\/v\d+(\/(me|workspace))?$/.test(base)) {
    throw new TypeError("baseUrl must not contain the version: leave out /v1 and what follows it.");
  }
  return `${origin}${base}/${path}`;
}
