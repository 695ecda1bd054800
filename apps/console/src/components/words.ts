import type { DeliveryState } from "@minutes/contract";

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
