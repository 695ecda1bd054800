import { createCalls } from "./calls.js";
import type { RecordedKeys } from "./data.js";
import type { Exchange, RecordedRequest } from "./exchange.js";
import { askHttp } from "./http-requests.js";
import { askLists, askMeetings, askSearch } from "./reads.js";
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
}
