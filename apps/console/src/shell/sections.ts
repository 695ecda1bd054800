/** The pages that the navigation lists, in its order. */
export const SECTIONS = [
  { path: "/meetings", label: "Meetings" },
  { path: "/tasks", label: "Tasks" },
  { path: "/tags", label: "Tags" },
  { path: "/keys", label: "API keys" },
  { path: "/webhooks", label: "Webhooks" },
  { path: "/recorders", label: "Recorders" },
  { path: "/members", label: "Members" },
  { path: "/plan", label: "Plan and usage" },
  { path: "/vocabulary", label: "Vocabulary" },
  { path: "/account", label: "Account" },
  { path: "/connect", label: "Connect" },
] as const;
