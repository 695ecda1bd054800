import { PUBLIC_ROUTES } from "@minutes/testing";
import { expect, test } from "vitest";
import { requireRecordedAnswers } from "../testing/contract/compare.js";
import { readRecording } from "../testing/contract/recording.js";

// `pnpm test:contract` sends all requests.
test("a sixth of the recorded requests to /v1 is answered byte for byte as before", () =>
  requireRecordedAnswers({ every: 6 }));

test("the recording has every status, and success and refusal of every procedure", async () => {
  const { exchanges } = await readRecording();
  const statuses = [...new Set(exchanges.map(({ status }) => status))].toSorted();
  expect(statuses).toEqual([200, 204, 400, 401, 403, 404, 405, 413, 415, 429, 431]);
  for (const route of PUBLIC_ROUTES.filter((name) => !name.startsWith("sync/"))) {
    const path = `/v1/${route}`;
    const answers = exchanges.filter(({ request }) => request.path.split("?")[0] === path);
    for (const status of [200, 400, 401, 403, 405, 429])
      expect(
        answers.some((answer) => answer.status === status),
        `${path}: ${status}`,
      ).toBe(true);
  }
});
