import { z } from "zod";
import type { AuditAction } from "./audit-actions.js";
import { FIELD_MESSAGES } from "./messages.js";

/**
 * Who can call an operation: a user (by personal key, session or token), a workspace key, a recorder's ingest key, somebody
 * who is not signed in, or the operator at the command line.
 */
export type CallerKind = "user" | "workspace" | "recorder" | "visitor" | "operator";

/** A text or list that is the same for all callers, or differs between users and workspace keys. */
export type PerCaller<Value> = Value | { readonly user: Value; readonly workspace: Value };

/** Input of an operation without fields. Any field is refused. */
export const NoInput = z.strictObject({}).prefault({}).meta({ id: "NoInput" });

/** Answer of an operation without a result. */
export const Success = z.object({ success: z.literal(true).describe("Always true.") });

/** A status and one of its messages. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
}

/** Creates a refusal with a status and a message. */
export const createRefusal = (status: number, message: string): Refusal => ({ status, message });

/** Creates the refusal of a missing or invalid field. */
export const createFieldRefusal = (name: keyof typeof FIELD_MESSAGES): Refusal =>
  createRefusal(400, FIELD_MESSAGES[name] ?? "");

/** Refusals shared by all paged lists. */
export const PAGE_REFUSALS = ["limit", "cursor", "startDate", "endDate"].map(createFieldRefusal);

/** How an operation is called over REST. */
export interface RestRoute {
  /**
   * Method, and path below the caller's mount: `/rest/v1/me`, `/rest/v1/workspace`, or `/rest/v1` for recorders and for
   * operations of signed-in users. Names in braces are fields of the input. `GET` and `DELETE` take the other fields as
   * parameters, the other methods in a JSON body.
   */
  readonly at: `${"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} /${string}`;
  /** Operation ID for users. For workspace keys, the verb is followed by `Workspace`. */
  readonly id: string;
  /** Field of the answer that is shown only once, so that a repeated `Idempotency-Key` does not return it. */
  readonly secret?: string;
  /** Fields of the answer with content of a meeting, which a repeated `Idempotency-Key` returns empty: stored answers have none. */
  readonly content?: readonly string[];
  /** Field of the answer with the address to which it redirects, unless that is at another host and could get an `x-api-key`. */
  readonly redirects?: string;
  /** True if the answer is lines of JSON. */
  readonly streams?: true;
}

/** How assistants call an operation. Tools that combine operations are in the server. */
export interface Tool {
  /** Such as `update_task`. */
  readonly name: string;
  readonly title: string;
  /** Tells a model when to use the tool, and what to pass. It knows tools, not operations. */
  readonly description: string;
  /** Field of the answer with a list that is cut at an item if it doesn't fit into an assistant's answer. */
  readonly list?: string;
  /** True if it removes something for good, so that assistants ask first. */
  readonly destructive?: true;
}

/** How the operator calls an operation as a user or workspace. */
export interface OperatorAccess {
  /** Input field with the ID of the object whose owner they act as. Absent: they name the user or workspace. */
  readonly ownerOf?: "taskId" | "meetingId" | "personId";
  /** Action recorded in the audit log with the object, or with the user or workspace; absent if the operation records its own. */
  readonly audit?: AuditAction;
}

/** What a declaration says about an operation, apart from its schemas. */
interface OperationFacts {
  /** True if it is part of docs/specification.md and served at `/v1/me` or `/v1/workspace`. */
  readonly v1?: true | undefined;
  /** How it is called over REST; absent if it is not. */
  readonly rest?: RestRoute | undefined;
  /** How assistants call it; absent if they don't, or only through a tool that combines operations. */
  readonly tool?: Tool | undefined;
  /** True if users call it with a session, not with a key: it manages their account. */
  readonly session?: true;
  /** True if a session must be a recent one, so that the holder of a stolen session can't extend their access. */
  readonly recentSignIn?: true;
  /** True if a call can take a second of the process: it runs in the turn of its holder. @see docs/decisions/0379-fair-shares.md */
  readonly costly?: true;
  /** How the operator calls it as a user or workspace; absent if they don't. */
  readonly operator?: OperatorAccess;
  /** A few words, without a full stop. */
  readonly summary: PerCaller<string>;
  /** Markdown sentences: what it promises, and what it is for. */
  readonly description: PerCaller<string>;
  /** Input that works with real IDs; `{}` if no field is required. Used by documents and tests. */
  readonly example: Readonly<Record<string, unknown>>;
  /** Errors specific to this operation, without those common to all. */
  readonly refuses: PerCaller<readonly Refusal[]>;
}

/** What somebody outside needs to know about an operation. Everything that serves or describes it follows from this. */
export interface Operation<
  Name extends string = string,
  Type extends "query" | "mutation" = "query" | "mutation",
  Callers extends CallerKind = CallerKind,
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
> extends OperationFacts {
  /** Such as `tags.list`. Variants for different callers or formats share a name. */
  readonly name: Name;
  /** A mutation changes something, and is refused for read-only keys. */
  readonly type: Type;
  readonly callers: readonly Callers[];
  readonly input: Input;
  readonly output: Output;
}

type Declaration<Callers, Input, Output> = OperationFacts & {
  readonly callers: readonly Callers[];
  readonly input: Input;
  readonly output: Output;
};

/** Declares an operation that reads. */
export const query = <
  Name extends string,
  Callers extends CallerKind,
  Input extends z.ZodType,
  Output extends z.ZodType,
>(
  name: Name,
  declared: Declaration<Callers, Input, Output>,
): Operation<Name, "query", Callers, Input, Output> => ({ name, type: "query", ...declared });

/** Declares an operation that changes something. */
export const mutation = <
  Name extends string,
  Callers extends CallerKind,
  Input extends z.ZodType,
  Output extends z.ZodType,
>(
  name: Name,
  declared: Declaration<Callers, Input, Output>,
): Operation<Name, "mutation", Callers, Input, Output> => ({ name, type: "mutation", ...declared });

/** Returns what a declaration says for one kind of caller. */
export const forCaller = <Value>(value: PerCaller<Value>, caller: CallerKind): Value =>
  typeof value === "object" && value !== null && "user" in value && "workspace" in value
    ? value[caller === "workspace" ? "workspace" : "user"]
    : (value as Value);

/** Splits `PATCH /tasks/{taskId}` into method and path. */
export function splitRoute({ at }: RestRoute): { readonly method: string; readonly path: string } {
  const space = at.indexOf(" ");
  return { method: at.slice(0, space), path: at.slice(space + 1) };
}

/** Returns true if a route takes its input in a JSON body, apart from the fields in its path. */
export const takesBody = ({ at }: RestRoute): boolean => !/^(GET|DELETE) /.test(at);

/** Returns a route's operation ID, such as `listMeetings` or `listWorkspaceMeetings`. */
export const toOperationId = ({ id }: RestRoute, caller: CallerKind): string =>
  caller === "workspace" ? id.replace(/^[a-z]+/, "$&Workspace") : id;
