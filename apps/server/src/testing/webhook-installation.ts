import { generateSecretsKey, joinWorkspace, OPERATOR } from "@minutes/core";
import type { Database } from "@minutes/db";
import {
  createTestDatabase,
  filledDataDir,
  givenOn,
  onPostgres,
  startWebhookReceiver,
  type TestCa,
} from "@minutes/testing";
import { onTestFinished } from "vitest";
import type { Settings } from "./process.js";

/** A webhook as the command line prints it once created. */
export interface Made {
  readonly id: string;
  readonly secret: string;
}

/** Opens installations and receivers that trust a test's authority, until the test ends. */
export const createWebhookPlaces = (getCa: () => TestCa) => ({
  /** Returns the settings of a separate installation, with an admin in a company. */
  installation: async (): Promise<Settings> => {
    const common = {
      DEMO: "off",
      WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1/32",
      WEBHOOK_CA_FILE: getCa().caFile,
      WEBHOOK_RETRY_DELAYS: "0.1,0.1,0.1,0.1",
    };
    if (!onPostgres) return { ...common, DATA_DIR: await filledDataDir("company", addAdmin) };
    const database = await createTestDatabase();
    onTestFinished(() => database.close());
    await addAdmin(database);
    return { ...common, DATABASE_URL: database.url ?? "", SECRETS_KEY: generateSecretsKey() };
  },
  receiver: async (answer?: Parameters<typeof startWebhookReceiver>[1]) => {
    const started = await startWebhookReceiver(await getCa().issue(), answer);
    onTestFinished(() => started.close());
    return started;
  },
});

/** Creates a company and its admin. */
async function addAdmin({ db }: { db: Database }): Promise<void> {
  const given = givenOn(db);
  const { userId } = await given.person({ email: "a@example.com" });
  await joinWorkspace(db, OPERATOR, userId, (await given.company()).workspaceId, "admin");
}
