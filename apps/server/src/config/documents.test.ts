import { expect, test } from "vitest";
import { writeEnvExample, writeSettingsPage } from "./documents.js";

// Both files are written by `npx vitest run apps/server/src/config --update`.
const ROOT = "../../../..";

test("docs/settings.md and .env.example have every setting with its default", async () => {
  await expect(writeSettingsPage()).toMatchFileSnapshot(`${ROOT}/docs/settings.md`);
  await expect(writeEnvExample()).toMatchFileSnapshot(`${ROOT}/.env.example`);
});
