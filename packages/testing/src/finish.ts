import type { Steps } from "@minutes/db";

/** Runs work to completion without pausing. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
