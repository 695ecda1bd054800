/** Maximum redirect addresses of a client, and characters of each. */
const REDIRECTS = 10;
const REDIRECT_LENGTH = 1_000;
/** Maximum characters of a client's name. */
const NAME_LENGTH = 100;

/** Fields that are kept of a client's description. */
const KEPT: ReadonlySet<string> = new Set([
  "client_id",
  "client_name",
  "redirect_uris",
  "client_id_issued_at",
]);

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/** A program's own scheme, which is a reversed domain name (RFC 8252, 7.1): `com.example.app:`. */
const OWN_SCHEME = /^[a-z]{2,}(?:\.[a-z\d][a-z\d-]*)+:$/;
/**
 * Callbacks of programs with a short scheme, such as `cursor://anysphere.cursor-mcp/oauth/callback`. Their other addresses
 * install, open and clone things.
 */
const CALLBACKS = [
  // Extensions of VS Code and of editors made from it.
  /^(?:cursor|vscode|vscode-insiders|vscodium|windsurf):\/\/[\w-]+\.[\w-]+\/(?:[\w-]+\/)*callback(?:\/[\w-]+)*$/,
  /^warp:\/\/mcp\/oauth2callback$/,
];

/** Returns true if an app can be sent to a redirect: a scheme such as `ms-msdt:` does something on the person's machine. */
function isAllowed({ protocol, hostname, href }: URL): boolean {
  if (protocol === "http:") return LOOPBACK.includes(hostname);
  return protocol === "https:" || OWN_SCHEME.test(protocol) || CALLBACKS.some((form) => form.test(href));
}

const isText = (value: unknown): value is string => typeof value === "string";

/** Describes where a redirect leads, as the person reads it. */
export function describeDestination(redirect: string): string {
  const { protocol, host, hostname } = new URL(redirect);
  if (LOOPBACK.includes(hostname)) return "a program on this computer";
  return protocol === "https:" ? host : `the program ${protocol}`;
}

/**
 * Reduces what a client says about itself to what is used, and makes it a public client that uses codes and refresh
 * tokens. Redirects lead to https, to a program's own scheme, or to the person's own machine.
 * @param refuse creates the error with a message for the client
 */
export function restrictClient(metadata: Record<string, unknown>, refuse: (message: string) => Error): void {
  const { client_name: name = "Unnamed app", redirect_uris: redirects } = metadata;
  if (!isText(name) || name.length > NAME_LENGTH)
    throw refuse(`client_name must be a text of at most ${NAME_LENGTH} characters`);
  if (!Array.isArray(redirects) || redirects.length === 0 || redirects.length > REDIRECTS)
    throw refuse(`redirect_uris must have 1 to ${REDIRECTS} addresses`);
  if (!redirects.every((uri) => isText(uri) && uri.length <= REDIRECT_LENGTH && URL.canParse(uri)))
    throw refuse(`redirect_uris must be addresses of at most ${REDIRECT_LENGTH} characters`);
  const urls = redirects.map((uri: string) => new URL(uri));
  if (urls.some(({ username, password }) => username !== "" || password !== ""))
    throw refuse("redirect_uris must not contain credentials");
  if (!urls.every(isAllowed))
    throw refuse(
      "redirect_uris must be https, http on loopback, or a program's own scheme such as com.example.app:/callback",
    );
  for (const field of Object.keys(metadata)) if (!KEPT.has(field)) delete metadata[field];
  Object.assign(metadata, {
    // Invisible characters could make a name look like another one.
    client_name: name.replaceAll(/\p{C}/gu, "").trim() || "Unnamed app",
    // The library accepts http to any host for web clients, and to the person's own machine for native ones.
    application_type: urls.every(({ protocol }) => protocol === "https:") ? "web" : "native",
    token_endpoint_auth_method: "none",
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
  });
}
