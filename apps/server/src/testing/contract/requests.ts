import { createCalls } from "./calls.js";
import type { RecordedKeys } from "./data.js";
import type { Exchange, RecordedRequest } from "./exchange.js";
import { askHttp } from "./http-requests.js";
import { askLists, askMeetings, askSearch, askUnanswered } from "./reads.js";
import { askCredentials, askInputs, askQuota } from "./refusals.js";
import { askWrites } from "./writes.js";

/** Makes all recorded calls one after another: writes change what later calls see. */
export async function askEverything(
  ask: (request: RecordedRequest) => Promise<Exchange>,
  keys: RecordedKeys,
): Promise<void> {
  const { sendOne, sendText, call, walk } = createCalls(ask, keys);
  await askLists({ call, walk });
  await askMeetings(call);
  await askSearch(call);
  await askCredentials(call, Object.keys(keys));
  await askQuota(call);
  await askInputs(call, sendText);
  await askHttp(sendOne, call, keys);
  await askWrites(call, walk);
  // At the end: each request has an address of its own, and those of earlier recordings keep theirs.
  await askUnanswered(call);
}
