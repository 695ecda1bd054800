/** The service in a process of its own, which tells its parent what it uses. */
import type { AddressInfo } from "node:net";
import { ChangeSignal } from "@minutes/core";
import { connectPostgres } from "@minutes/db";
import { createApp, createHttpServer } from "@minutes/server";
import pino from "pino";

const connection = await connectPostgres({ url: process.env.DATABASE_URL ?? "", migrate: false });
const changes = new ChangeSignal(connection, (error) => console.error(error));
const server = createHttpServer(
  createApp({
    connection,
    changes,
    env: { RATE_LIMIT_PER_MINUTE: 1_000_000_000, CORS_ORIGINS: [] },
    log: pino({ level: "silent" }),
  }),
);
server.listen(0, "0.0.0.0", () => process.send?.((server.address() as AddressInfo).port));

process.on("disconnect", () => process.exit());
process.on("message", (what) => {
  if (what === "waiting") return void process.send?.(changes.waiting);
  if (what === "processor") {
    const { user, system } = process.cpuUsage();
    return void process.send?.((user + system) / 1000);
  }
  (globalThis as { gc?: () => void }).gc?.();
  // Kilobytes.
  process.send?.(process.memoryUsage().rss / 1024);
});
