import * as accessRequests from "./access-requests.js";
import * as account from "./account.js";
import * as ask from "./ask.js";
import * as audit from "./audit.js";
import * as calendar from "./calendar.js";
import * as caller from "./caller.js";
import * as corrections from "./corrections.js";
import * as digests from "./digests.js";
import * as identity from "./identity.js";
import * as ingest from "./ingest.js";
import * as instructions from "./instructions.js";
import * as keptAudio from "./kept-audio.js";
import * as keys from "./keys.js";
import * as meetings from "./meetings.js";
import * as members from "./members.js";
import type { Operation, RestRoute } from "./operation.js";
import * as people from "./people.js";
import * as publicLinks from "./public-links.js";
import * as recordings from "./recordings.js";
import * as retention from "./retention.js";
import * as search from "./search.js";
import * as sharing from "./sharing.js";
import * as speakers from "./speakers.js";
import * as sync from "./sync.js";
import * as tags from "./tags.js";
import * as tasks from "./tasks.js";
import * as transcriptions from "./transcriptions.js";
import * as vocabulary from "./vocabulary.js";
import * as webhooks from "./webhooks.js";
import * as workspaces from "./workspaces.js";

const isOperation = (value: unknown): value is Operation =>
  typeof value === "object" && value !== null && "callers" in value && "refuses" in value;

/** Lists the operations that modules declare, by resource, and those on a collection first. */
const listDeclared = (...modules: readonly Readonly<Record<string, unknown>>[]): readonly Operation[] =>
  modules
    .flatMap((module) => Object.values(module).filter(isOperation))
    .toSorted((a, b) => toRank(a) - toRank(b));

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

function toRank({ rest, type }: Operation): number {
  if (!rest) return type === "query" ? 0 : METHODS.length;
  const [method = "", path = ""] = rest.at.split(" ");
  return (path.split("/").length - 2) * METHODS.length + METHODS.indexOf(method);
}

/** Operations on people, speakers and the content of meetings. */
export const EDITING_OPERATIONS = listDeclared(people, speakers, corrections);

/** The people client's operations: the editing ones, the task list, and the transcript with the turns and labels they take. */
export const PEOPLE_OPERATIONS: readonly Operation[] = [
  ...EDITING_OPERATIONS,
  tasks.listMyTasksWithDue,
  meetings.getTranscript,
];

/** Every declared operation. Variants of one name for different callers or formats are separate. */
export const OPERATIONS: readonly Operation[] = [
  ...listDeclared(meetings),
  ...listDeclared(search, ask),
  ...listDeclared(tasks),
  ...listDeclared(tags),
  ...listDeclared(transcriptions),
  ...EDITING_OPERATIONS,
  ...listDeclared(sync),
  ...listDeclared(ingest),
  ...listDeclared(keys),
  ...listDeclared(webhooks),
  ...listDeclared(retention),
  ...listDeclared(recordings),
  ...listDeclared(keptAudio),
  ...listDeclared(sharing),
  ...listDeclared(publicLinks),
  ...listDeclared(accessRequests),
  ...listDeclared(vocabulary),
  ...listDeclared(instructions),
  ...listDeclared(identity),
  ...listDeclared(account),
  ...listDeclared(calendar),
  ...listDeclared(caller),
  ...listDeclared(digests),
  ...listDeclared(members),
  ...listDeclared(workspaces),
  ...listDeclared(audit),
];

/** REST routes by the operation's name. An operation without one is not served over REST. */
export const REST_ROUTES: Readonly<Record<string, RestRoute>> = Object.fromEntries(
  OPERATIONS.flatMap(({ name, rest }) => (rest ? [[name, rest]] : [])),
);
