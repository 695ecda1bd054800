import type { Person } from "./accounts.js";
import { call, findPayload } from "./call.js";
import type { Given } from "./given.js";

/**
 * Returns a function that calls procedures of the settings. A person is signed in for each call; a string is the token of
 * a session. The function returns the status, and the payload or the error.
 * @param open returns the server, which may start after this call
 */
export const createSettingsCalls =
  (open: () => { readonly url: string; readonly given: Given }) =>
  async (who: Person | string, procedure: string, input?: object) => {
    const { url, given } = open();
    const token = typeof who === "string" ? who : await given.session(who);
    const answer = await call(url, token, `settings/${procedure}`, input);
    return [answer.status, findPayload(answer) ?? (answer.body as { error: string }).error] as const;
  };
