import { LIMITS, MESSAGES, type Refusal } from "@minutes/contract";
import type { Procedure, Routes } from "../procedures.js";

/** Sent with every answer to an accepted key. */
const QUOTA_HEADERS = {
  "X-RateLimit-Limit": {
    description: "Requests allowed per window.",
    schema: { type: "integer", examples: [LIMITS.ratePerMinute] },
  },
  "X-RateLimit-Remaining": {
    description: "Requests remaining in the current window.",
    schema: { type: "integer" },
  },
  "X-RateLimit-Reset": {
    description: "When the window resets, as a Unix timestamp in seconds.",
    schema: { type: "integer" },
  },
} as const;

const RETRY_AFTER = {
  "Retry-After": { description: "Seconds after which to try again.", schema: { type: "integer" } },
} as const;

/** Sent by resources. */
const RESOURCE_HEADERS = {
  Link: {
    description: 'The next page of a list, as `</rest/v1/…?cursor=…>; rel="next"`. Absent on the last page.',
    schema: { type: "string" },
  },
  ETag: { description: "Changes with the response. Send it as `If-None-Match`.", schema: { type: "string" } },
} as const;

const toHeaderReferences = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** All headers referenced by operations. */
export const HEADERS = { ...QUOTA_HEADERS, ...RETRY_AFTER, ...RESOURCE_HEADERS };

/** Headers of every answer to an accepted key. */
export const quotaHeaders = toHeaderReferences(...Object.keys(QUOTA_HEADERS));

/** The body of every error. @see docs/specification.md#errors */
export const ERROR_SCHEMA = {
  type: "object",
  description: "Every error, from whatever layer.",
  properties: { error: { type: "string", description: "What is wrong, in one sentence." } },
  required: ["error"],
} as const;

/** The meaning of each status. @see docs/specification.md#errors */
const MEANINGS: Readonly<Record<number, string>> = {
  400: "Bad request: malformed envelope or date, bad cursor, missing, invalid or unsupported field.",
  401: "Unauthorized: missing or invalid API key.",
  403: "Forbidden: wrong key kind for the route, a plan without API access, or no access to the resource.",
  404: "Not found.",
  409: "Conflict with the current state.",
  412: "Not possible with this installation's settings, or this account.",
  422: "The `Idempotency-Key` was used with another body.",
  410: "Gone: the cursor is no longer valid. Start again without one.",
  429: "Too many requests. The quota headers say when to continue.",
};

/** Which errors an operation can have. */
export interface OperationKind {
  /** True if the input is in the body. */
  readonly hasBody: boolean;
  /** True if it takes an `Idempotency-Key`. */
  readonly isRepeatable?: boolean;
  /** True if it is a resource of `/rest/v1`, which takes a key in either header. */
  readonly isResource: boolean;
}

const INVALID_KEY: Refusal = { status: 401, message: MESSAGES.invalidKey };

const REPEATED: readonly Refusal[] = [
  { status: 400, message: MESSAGES.idempotencyKeyInvalid },
  { status: 409, message: MESSAGES.idempotencyRunning },
  { status: 422, message: MESSAGES.idempotencyOtherBody },
];

/** Refusals of each kind of caller. */
const CALLER_REFUSALS: Readonly<Record<Routes, readonly Refusal[]>> = {
  me: [
    INVALID_KEY,
    { status: 403, message: MESSAGES.needsPersonalKey },
    { status: 403, message: MESSAGES.needsPlan },
  ],
  workspace: [
    INVALID_KEY,
    { status: 403, message: MESSAGES.needsWorkspaceKey },
    { status: 403, message: MESSAGES.needsPlan },
  ],
  ingest: [INVALID_KEY],
  settings: [
    { status: 401, message: MESSAGES.signIn },
    { status: 401, message: MESSAGES.signInAgain },
  ],
};

const getCommonRefusals = (
  procedure: Procedure<Routes>,
  { isResource, isRepeatable = false }: OperationKind,
): Refusal[] => [
  ...(isRepeatable ? REPEATED : []),
  { status: 400, message: 'Unknown field: "field".' },
  ...(procedure.routes === "settings"
    ? []
    : [{ status: 401, message: isResource ? MESSAGES.missingKeyOrBearer : MESSAGES.missingKey }]),
  ...CALLER_REFUSALS[procedure.routes],
  { status: 404, message: isResource ? MESSAGES.unknownResource : MESSAGES.unknownProcedure },
  { status: 429, message: MESSAGES.rateLimited },
  { status: 429, message: MESSAGES.tooManyFailures },
];

/** Describes errors common to all procedures in one section, so the specific ones stand out. */
const toOtherErrors = ({ hasBody }: OperationKind) => ({
  description: hasBody
    ? "405 for another HTTP method, 413 for a body over 256 KiB, 415 unless it is `application/json`; 500 and 503 for a fault of the service."
    : "405 for another HTTP method; 500 and 503 for a fault of the service, which can be retried.",
  headers: { ...quotaHeaders, ...toHeaderReferences("Retry-After") },
  content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
});

/** Shortens a message to the key of its example. */
const toExampleName = (message: string): string =>
  message
    .replace(/[^A-Za-z]+/g, " ")
    .trim()
    .split(" ")
    .slice(0, 6)
    .join("-")
    .toLowerCase();

/** Builds the refusals of a procedure by status, with each message as an example. */
export function toErrorResponses(procedure: Procedure<Routes>, kind: OperationKind): Record<string, object> {
  const refusals = [...procedure.refusals, ...getCommonRefusals(procedure, kind)];
  const statuses = [...new Set(refusals.map(({ status }) => status))].sort((a, b) => a - b);
  const explained = Object.fromEntries(
    statuses.map((status) => {
      const messages = refusals.filter((one) => one.status === status).map(({ message }) => message);
      const retry = status === 429 ? toHeaderReferences("Retry-After") : {};
      return [
        String(status),
        {
          description: MEANINGS[status],
          headers: status === 401 ? {} : { ...quotaHeaders, ...retry },
          content: {
            "application/json": {
              schema: { $ref: "#/components/schemas/Error" },
              examples: Object.fromEntries(
                messages.map((error) => [toExampleName(error), { value: { error } }]),
              ),
            },
          },
        },
      ];
    }),
  );
  return { ...explained, default: toOtherErrors(kind) };
}
