/** A page that the navigation lists. */
interface Section {
  readonly path: string;
  readonly label: string;
  /** What the page is for, in one sentence below its heading. */
  readonly about: string;
  /** Members who are no admins have no use for it. */
  readonly forAdmins?: boolean;
}

/** The pages that the navigation lists, in its order. */
export const SECTIONS = [
  {
    path: "/meetings",
    label: "Meetings",
    about: "Your meetings and those that others share with you, newest first.",
  },
  {
    path: "/tasks",
    label: "Tasks",
    about: "What was agreed in your meetings: tick it off, or put it in better words.",
  },
  {
    path: "/upload",
    label: "Upload",
    about: "Add meetings from transcripts and notes that you have as files.",
  },
  {
    path: "/tags",
    label: "Tags",
    about: "Tags group meetings. Share a tag, and the member sees every meeting that has it.",
  },
  {
    path: "/keys",
    label: "API keys",
    about: "A key lets a program read meetings over the API. It is shown once.",
  },
  {
    path: "/webhooks",
    label: "Webhooks",
    about: "A webhook tells your program at once when a meeting is completed.",
  },
  {
    path: "/recorders",
    label: "Recorders",
    about: "A credential lets a recorder send meetings into this workspace.",
    forAdmins: true,
  },
  {
    path: "/members",
    label: "Members",
    about: "The people of this workspace, their roles, and open invitations.",
  },
  {
    path: "/plan",
    label: "Plan and usage",
    about: "What the plan allows, and how much of it this month has used.",
  },
  {
    path: "/vocabulary",
    label: "Vocabulary",
    about: "Names and terms that recorders should spell as you do.",
  },
  {
    path: "/audit",
    label: "Audit log",
    about: "Who did what in this workspace, and when, newest first.",
    forAdmins: true,
  },
  { path: "/account", label: "Account", about: "Your name, how you sign in, and where you are signed in." },
  {
    path: "/connect",
    label: "Connect",
    about: "Ready lines for curl, TypeScript and assistants, with your server's address.",
  },
] as const satisfies readonly Section[];

/** Returns the sentence about the page with a heading; undefined for a page that the navigation does not list. */
export const getAbout = (heading: string | undefined): string | undefined =>
  SECTIONS.find(({ label }) => label === heading)?.about;
