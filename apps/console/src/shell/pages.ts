import { getAbout, SECTIONS } from "./sections";

/** What the server sends for an address before any script runs. */
interface FirstPage {
  /** The file of the page in src/pages. */
  readonly file: string;
  /** The page's first heading; absent where it is not known yet. */
  readonly heading?: string;
  /** What the page reads first, where its address has no filters: a path, and its input. `{id}` is the address's id. */
  readonly reads: readonly (readonly [path: string, input: object])[];
  /** A page for people who are not signed in. */
  readonly entry?: true;
}

const ACCOUNT = ["/settings/v1/account.get", {}] as const;
const SESSION = ["/identity/v1/session.get", {}] as const;
const MEETINGS: FirstPage = {
  file: "Meetings",
  heading: "Meetings",
  reads: [ACCOUNT, ["/console/v1/meetings.list", { limit: 100 }], ["/console/v1/tags.list", {}]],
};
const page = (file: string, heading: string, ...reads: FirstPage["reads"]): FirstPage => ({
  file,
  heading,
  reads: [ACCOUNT, ...reads],
});
const entry = (file: string, heading: string, ...reads: FirstPage["reads"]): FirstPage => ({
  file,
  heading,
  reads,
  entry: true,
});

/** By address, the page that is shown first; `*` stands for an id. */
export const PAGES: Readonly<Record<string, FirstPage>> = {
  "/": MEETINGS,
  "/account": page("Account", "Account"),
  "/audit": page("AuditLog", "Audit log"),
  "/connect": page("Connect", "Connect"),
  "/invitation": entry("Invitation", "Your invitation", SESSION),
  "/keys": page("Keys", "API keys", ["/settings/v1/keys.list", {}]),
  "/meetings": MEETINGS,
  "/meetings/*": {
    file: "Meeting",
    reads: [ACCOUNT, ["/console/v1/meetings.get", { meetingId: "{id}" }]],
  },
  "/members": page("Members", "Members", ["/settings/v1/members.list", {}]),
  "/plan": page("Plan", "Plan and usage", ["/settings/v1/plan.get", {}]),
  "/recorders": page("Recorders", "Recorders"),
  "/setup": entry("Setup", "Set up Minutes"),
  "/sign-in": entry("SignIn", "Sign in to Minutes", SESSION),
  "/tags": page("Tags", "Tags", ["/settings/v1/tags.list", {}]),
  "/tasks": page("Tasks", "Tasks"),
  "/upload": page("Upload", "Upload"),
  "/vocabulary": page("Vocabulary", "Vocabulary", ["/settings/v1/vocabulary.list", {}]),
  "/webhooks": page("Webhooks", "Webhooks", ["/settings/v1/webhooks.list", {}]),
  "/webhooks/*": page("Deliveries", "Deliveries"),
};

/** Writes the address of a read, exactly as the client asks for it. */
export const toReadAddress = ([path, input]: FirstPage["reads"][number]): string =>
  `${path}?input=${encodeURIComponent(JSON.stringify({ json: input }))}`;

const LOADING = `<div role="status" aria-label="Loading"></div>`;

/** Writes the frame of a page as HTML. The entries that only admins have are added once it is known who is signed in. */
export function writeFrame(address: string, { heading, entry: isEntry }: FirstPage): string {
  const title = heading === undefined ? "" : `<h1 class="page-title">${heading}</h1>`;
  const sentence = getAbout(heading);
  const about = sentence === undefined ? "" : `<p class="page-about">${sentence}</p>`;
  if (isEntry) return `<main class="entry"><div class="entry-box">${title}${LOADING}</div></main>`;
  const links = SECTIONS.filter((section) => !("forAdmins" in section)).map(({ path, label }) => {
    const current = path === address || address.startsWith(`${path}/`) ? ` aria-current="page"` : "";
    return `<a class="shell-link" href="${path}"${current}>${label}</a>`;
  });
  return [
    `<header class="shell-header"><button class="shell-button shell-menu" disabled>Menu</button>`,
    `<div class="shell-name">Minutes</div></header>`,
    `<nav class="shell-nav" aria-label="Main">${links.join("")}</nav>`,
    `<main class="shell-main"><div class="page"><header class="page-header">${title}</header>${about}${LOADING}</div></main>`,
  ].join("");
}
