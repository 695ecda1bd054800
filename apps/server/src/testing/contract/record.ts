// Records the answers of /v1 that `pnpm test:contract` compares.
import { readFile } from "node:fs/promises";
import { identifyRemainingPeople } from "@minutes/core";
import { restoreRelease } from "../release/restore.js";
import { type Exchange, type RecordedRequest, startServers } from "./exchange.js";
import { readRecording, writeExchanges } from "./recording.js";

const [argument] = process.argv.slice(2);
if (argument === undefined) {
  console.error(`pnpm contract:record <file> | --changed
  <file>     adds requests, one a line: {"holder": "personal anna", "path": "/v1/me/tags.list"}, also with "method",
             "headers", "body", or "raw" instead of all others
  --changed  records the answers of known requests that changed`);
  process.exit(2);
}

/** A request to add. `holder` describes whose key it has. */
type NewRequest = Partial<RecordedRequest> & { readonly holder?: string };

const recording = await readRecording();
const { keys, exchanges } = recording;
const restored = await restoreRelease(recording);
const connection = await restored.connectNew();
await identifyRemainingPeople(connection.db, new AbortController().signal);
const servers = await startServers(connection);

/** Completes a request. Failed authentications are counted by address, so each has its own. */
function complete({ holder, ...request }: NewRequest, number: number): RecordedRequest {
  const address = `10.0.${number >> 8}.${number & 255}`;
  const key = holder === undefined ? {} : { "x-api-key": keys[holder] ?? holder };
  const headers = request.raw === undefined ? { "x-forwarded-for": address, ...key, ...request.headers } : {};
  return { server: "open", method: "GET", path: "/", ...request, headers };
}

const isKept = argument !== "--changed";
const answers: Exchange[] = [];
for (const known of exchanges) {
  // Also where its answer is kept, because writes change what later calls see.
  const now = await servers.ask(known.request);
  answers.push(isKept ? known : now);
}
const lines = isKept
  ? (await readFile(argument, "utf8")).split("\n").filter((line) => line.trim() !== "")
  : [];
for (const line of lines)
  answers.push(await servers.ask(complete(JSON.parse(line) as NewRequest, answers.length)));
await servers.close();
await restored.remove();
await writeExchanges({ keys, exchanges: answers });
console.log(`${answers.length} answers, ${isKept ? exchanges.length : 0} of them kept`);
process.exit(0);
