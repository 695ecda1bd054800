import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import {
  createGuard,
  createKeyring,
  createPersonalWebhook,
  newSecretsKey,
  parseSecretsKey,
} from "@minutes/core";
import { type Connection, connectEmbedded, connectPostgres } from "@minutes/db";
import { givenOn } from "@minutes/testing";
import type { Settings } from "./process.js";

/** How meetings and deliveries agree; see complete-loop.ts. */
export interface Agreement {
  readonly meetings: number;
  readonly deliveries: number;
  readonly without: number;
  readonly stray: number;
}

const LOOP = fileURLToPath(new URL("complete-loop.ts", import.meta.url));

/**
 * Kills a process with -9 while it completes meetings, `kills` times.
 * @param place `DATABASE_URL` or `DATA_DIR` of a migrated, empty database.
 * @returns what each process found when it began, and what the last one left.
 */
export async function killAtCommit(place: Settings, kills: number): Promise<Agreement[]> {
  const found: Agreement[] = [];
  const settings = { ...place, OWNER: JSON.stringify(await makeOwner(place)) };
  for (let kill = 0; kill <= kills; kill++) {
    const { PATH, HOME } = process.env;
    const last = kill === kills ? { ONLY_LOOK: "1" } : {};
    const child = spawn(process.execPath, ["--import", "tsx", LOOP], {
      env: { PATH, HOME, ...settings, ...last } as unknown as NodeJS.ProcessEnv,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(child, "close");
    const [line] = await Promise.race([
      once(child.stdout, "data"),
      ended.then(([code]) => Promise.reject(new Error(`It ended with ${code}.`))),
    ]);
    found.push(JSON.parse(String(line)) as Agreement);
    if (kill < kills) {
      await new Promise((resolve) => setTimeout(resolve, 30 + Math.random() * 300));
      child.kill("SIGKILL");
    }
    await ended;
  }
  return found;
}

/** A user with a webhook. */
async function makeOwner({ DATABASE_URL, DATA_DIR = "" }: Settings) {
  const connection: Connection = DATABASE_URL
    ? await connectPostgres({ url: DATABASE_URL, migrate: false })
    : await connectEmbedded({ dataDir: DATA_DIR });
  const { db } = connection;
  const owner = await givenOn(db).person();
  const keyring = createKeyring([parseSecretsKey(newSecretsKey()) ?? new Uint8Array()]);
  const guard = createGuard({ allowedNetworks: ["127.0.0.1/32"] });
  const webhook = { name: "x", url: "https://127.0.0.1:9/", method: "signature" } as const;
  await createPersonalWebhook(db, { keyring, guard }, owner.userId, webhook);
  await connection.close();
  return owner;
}
