import type { OAuthScope } from "@minutes/core";
import { escapeHtml, type SafePage, writePage } from "./pages.js";

/** What each right means, as the person reads it. */
const RIGHTS: Readonly<Record<Exclude<OAuthScope, "workspace:read">, { text: string; checked: boolean }>> = {
  "meetings:read": {
    text: "Read your meetings, and those shared with you: transcripts, summaries, tasks and tags",
    checked: true,
  },
  "tasks:write": { text: "Add tasks, change them and mark them as done", checked: true },
  "meetings:write": {
    text: "Correct titles, times, summaries, what was said and who said it, and tag your meetings",
    checked: true,
  },
  "meetings:delete": { text: "Delete your meetings for good", checked: false },
};

/** What the page shows. */
export interface Consent {
  readonly clientName: string;
  /** Host of the document in which the app describes itself; null for an app that registered itself. */
  readonly publisher: string | null;
  /** Where the person is sent back to. */
  readonly destination: string;
  readonly email: string;
  readonly workspaceName: string;
  /** Identifies who saw the page; the form sends it back, and an answer from anyone else is refused. */
  readonly account: string;
  /** The rights that the app asks for and the person can give. */
  readonly scopes: readonly OAuthScope[];
}

const isPersonal = (scope: OAuthScope): scope is keyof typeof RIGHTS => scope !== "workspace:read";

/** Writes one right. Reading can't be taken off: without it an app can do nothing. */
const writeRight = (scope: keyof typeof RIGHTS): string => {
  const { text, checked } = RIGHTS[scope];
  if (scope === "meetings:read")
    return `<label><input type="checkbox" checked disabled> <span>${text}</span></label><input type="hidden" name="scope" value="${scope}">`;
  return `<label><input type="checkbox" name="scope" value="${scope}"${checked ? " checked" : ""}> <span>${text}</span></label>`;
};

/** Writes the page that asks whether an app may act for the person. */
export function writeConsentPage({
  clientName,
  publisher,
  destination,
  email,
  workspaceName,
  account,
  scopes,
}: Consent): SafePage {
  const rights = scopes.filter(isPersonal).map(writeRight).join("\n          ");
  const name = escapeHtml(clientName);
  const choice = scopes.includes("workspace:read")
    ? `
        <fieldset>
          <legend>Which meetings?</legend>
          <label><input type="radio" name="access" value="personal" checked> <span>Yours, and those shared with you</span></label>
          <label><input type="radio" name="access" value="workspace"> <span>All meetings of ${escapeHtml(workspaceName)}, only to read. The rights above don't apply then.</span></label>
        </fieldset>`
    : `<input type="hidden" name="access" value="personal">`;
  const by = publisher === null ? "" : ` and is published at <strong>${escapeHtml(publisher)}</strong>`;
  return writePage(
    `Connect ${clientName}`,
    `      <h1>Connect ${name} to your meetings?</h1>
      <p>An app that calls itself <strong>${name}</strong>${by} asks to act for you. You will be sent back to <strong>${escapeHtml(destination)}</strong>. Go on only if you just started this in that app.</p>
      <form method="post">
        <input type="hidden" name="account" value="${escapeHtml(account)}">
        <fieldset>
          <legend>It could</legend>
          ${rights}
        </fieldset>${choice}
        <div class="answers">
          <button name="answer" value="allow">Allow</button>
          <button name="answer" value="deny">Don't allow</button>
        </div>
      </form>
      <p class="note">You are signed in as ${escapeHtml(email)}, ${escapeHtml(workspaceName)}. You can disconnect the app under Account at any time.</p>`,
  );
}
