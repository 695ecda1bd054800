import { discardDrafts } from "./drafts";
import { forgetAnswers } from "./offline";

/** Goes to a page after the session or the membership ended; discards unsaved input and what was kept for reading offline. */
export async function leaveFor(path: "/sign-in" | "/invitation" | "/meetings"): Promise<void> {
  discardDrafts();
  await forgetAnswers();
  location.assign(path);
}
