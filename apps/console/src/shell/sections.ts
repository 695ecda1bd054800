/** A page that the navigation lists. */
interface Section {
  readonly path: string;
  readonly label: string;
  /** Members who are no admins have no use for it. */
  readonly forAdmins?: boolean;
}

/** The pages that the navigation lists, in its order. */
export const SECTIONS = [
  { path: "/meetings", label: "Meetings" },
  { path: "/tasks", label: "Tasks" },
  { path: "/upload", label: "Upload" },
  { path: "/tags", label: "Tags" },
  { path: "/keys", label: "API keys" },
  { path: "/webhooks", label: "Webhooks" },
  { path: "/recorders", label: "Recorders", forAdmins: true },
  { path: "/members", label: "Members" },
  { path: "/plan", label: "Plan and usage" },
  { path: "/vocabulary", label: "Vocabulary" },
  { path: "/audit", label: "Audit log", forAdmins: true },
  { path: "/account", label: "Account" },
  { path: "/connect", label: "Connect" },
] as const satisfies readonly Section[];
