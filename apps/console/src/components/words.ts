import type { DeliveryState, PublicLink } from "@minutes/contract";

/** Writes `1 meeting` or `3 meetings`. */
export const countMeetings = (count: number) => `${count} ${count === 1 ? "meeting" : "meetings"}`;

/** Writes `AL` for `Ada Lovelace` and `AD` for `Ada`, from letters and digits alone; `?` for a name without any. */
export function toInitials(name: string): string {
  const words = name.normalize("NFC").match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu) ?? [];
  const letters = words.length === 1 ? [...(words[0] ?? "")] : words.map(([letter]) => letter);
  return letters.slice(0, 2).join("").toUpperCase() || "?";
}

/** Removes accents and case, as search does: people type Padraig for Pádraig. */
export const foldText = (text: string): string =>
  text
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase();

/** The roles in words, as choices of a select. */
export const ROLES = [
  { value: "member", label: "Member" },
  { value: "admin", label: "Admin" },
];

/** Writes `Admin` for `admin`. */
export const describeRole = (role: string): string =>
  ROLES.find(({ value }) => value === role)?.label ?? role;

/** The states of a delivery in words. */
export const DELIVERY_WORDS: Readonly<Record<DeliveryState, string>> = {
  pending: "Pending",
  held: "Waiting",
  delivered: "Delivered",
  failed: "Failed",
  skipped: "Skipped",
  canceled: "Canceled",
};

const CREDENTIALS: Readonly<Record<string, string>> = {
  "workspace key": "Workspace API key",
  "ingest key": "Recorder",
  "workspace webhook": "Workspace webhook",
  invitation: "Invitation",
};

/** Writes `Recorder` for `ingest key`. */
export const describeCredential = (kind: string): string => CREDENTIALS[kind] ?? kind;

/** Writes `Summary, names masked, password, 3 views`. */
export function describeLink({
  scope,
  maskNames,
  hasPassword,
  views,
}: Pick<PublicLink, "scope" | "maskNames" | "hasPassword" | "views">): string {
  const facts = [
    scope === "summary" ? "Summary" : "Transcript",
    ...(maskNames ? ["names masked"] : []),
    ...(hasPassword ? ["password"] : []),
    views === 1 ? "1 view" : `${views} views`,
  ];
  return facts.join(", ");
}

/** Browsers by their mark in a `User-Agent` header. The first match counts, because most also claim to be others. */
const BROWSERS = [
  [/\bEdgA?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\b(Firefox|FxiOS)\//, "Firefox"],
  [/Chrome\/|\bCriOS\//, "Chrome"],
  [/\bSafari\//, "Safari"],
] as const;

const SYSTEMS = [
  [/iPhone/, "iPhone"],
  [/iPad/, "iPad"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/Mac OS X/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/Linux/, "Linux"],
] as const;

const find = (marks: readonly (readonly [RegExp, string])[], text: string) =>
  marks.find(([mark]) => mark.test(text))?.[1];

/** Writes `Firefox on Windows` for a `User-Agent` header; returns an unknown one as it is. */
export function describeBrowser(userAgent: string): string {
  const browser = find(BROWSERS, userAgent);
  if (browser === undefined) return userAgent;
  const system = find(SYSTEMS, userAgent);
  return system === undefined ? browser : `${browser} on ${system}`;
}
