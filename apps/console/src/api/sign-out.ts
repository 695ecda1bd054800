import { discardDrafts } from "./drafts";
import { forgetAnswers } from "./offline";

/** Goes to a page after the session ended, and discards unsaved input and what was kept for reading offline. */
export async function leaveFor(path: "/sign-in" | "/invitation"): Promise<void> {
  discardDrafts();
  await forgetAnswers();
  location.assign(path);
}
