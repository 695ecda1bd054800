/** The service in its own process, which reports its resource use to the parent. */
import type { AddressInfo } from "node:net";
import { ChangeSignal } from "@minutes/core";
import { connectPostgres } from "@minutes/db";
import { createApp, createHttpServer, parseConfig } from "@minutes/server";
import pino from "pino";

const connection = await connectPostgres({ url: process.env.DATABASE_URL ?? "", migrate: false });
const changes = new ChangeSignal(connection, (error) => console.error(error));
const server = createHttpServer(
  createApp({
    connection,
    changes,
    config: parseConfig({ RATE_LIMIT_PER_MINUTE: "1000000000" }),
    publicUrl: () => "http://localhost",
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
  // In KB.
  process.send?.(process.memoryUsage().rss / 1024);
});
