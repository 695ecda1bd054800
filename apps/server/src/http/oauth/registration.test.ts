import { expect, test } from "vitest";
import { restrictClient } from "./registration.js";

/** Returns the reason why a client with these redirects is refused; null if it is not. */
function findFault(...redirects: string[]): string | null {
  try {
    restrictClient({ redirect_uris: redirects }, (message) => new Error(message));
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

test.each([
  ["Claude", "https://claude.ai/api/mcp/auth_callback", "https://claude.com/api/mcp/auth_callback"],
  ["Claude Code", "http://localhost:53412/callback"],
  ["Cursor", "cursor://anysphere.cursor-mcp/oauth/callback", "http://localhost:8787/callback"],
  ["an earlier Cursor", "cursor://anysphere.cursor-retrieval/oauth/user-minutes/callback"],
  ["VS Code", "https://vscode.dev/redirect", "http://localhost/", "http://127.0.0.1:33418/"],
  ["an extension of VS Code", "vscode://saoudrizwan.claude-dev/mcp-auth/callback/abc123"],
  ["Warp", "warp://mcp/oauth2callback"],
  ["a native app", "com.example.app:/oauth", "com.example.app://callback", "io.github.some-app:/x"],
  ["a loopback address of IPv6", "http://[::1]:8080/callback"],
])("%s registers its redirects", (_name, ...redirects) => {
  expect(findFault(...redirects)).toBe(null);
});

test.each([
  ["a diagnosis", "ms-msdt:/id/PCWDiagnostic"],
  ["a search", "search-ms:query=x&crumb=location:%5C%5Cevil"],
  ["a share of another machine", "smb://evil.example/callback"],
  ["a file", "file:///etc/passwd"],
  ["a script", "javascript:alert(1)"],
  ["a scheme that is no domain name", "my-app://callback"],
  ["settings of the system", "x-apple.systempreferences:com.apple"],
  ["an installation", "cursor://anysphere.cursor-deeplink/mcp/install?name=x"],
  [
    "an installation that ends like a callback",
    "cursor://anysphere.cursor-deeplink/mcp/install?name=/callback",
  ],
  ["a folder", "vscode://file/etc/callback"],
  ["a copy of a repository", "vscode://ms-vscode-remote.remote-containers/cloneInVolume?url=https://evil"],
  ["http to a name like loopback", "http://localhost.evil.example/"],
  ["one bad one among good ones", "https://app.example.net/", "smb://evil.example/"],
])("refused: %s", (_name, ...redirects) => {
  expect(findFault(...redirects)).toMatch(/^redirect_uris must be https, http on loopback, or/);
});
