/** The product's HTTP server, as run by `pnpm start`, with an unlimited quota. */
import { connectEmbedded, connectPostgres } from "@minutes/db";
import { createApp, createHttpServer, createWatch, parseConfig } from "@minutes/server";
import pino from "pino";
import { serveMeasured } from "./measured.js";

const config = parseConfig(process.env);
const connection = config.DATABASE_URL
  ? await connectPostgres({
      url: config.DATABASE_URL,
      directUrl: config.DATABASE_DIRECT_URL,
      unnamedStatements: config.DATABASE_STATEMENTS === "unnamed",
      poolSize: config.DATABASE_POOL,
      statementTimeout: 4_500,
      migrate: false,
    })
  : await connectEmbedded({ dataDir: config.DATA_DIR, migrate: false });
const log = pino({ level: config.LOG_LEVEL });
const watch = await createWatch(config, connection, log);
const { onAnswer, traceAuthentication, metricsHandler: metrics } = watch;
const publicUrl = () => "http://localhost";
const app = createApp({ connection, config, log, publicUrl, onAnswer, traceAuthentication, metrics });
serveMeasured(createHttpServer(watch.wrap(app)));
