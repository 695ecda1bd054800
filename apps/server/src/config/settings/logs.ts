import { z } from "zod";
import { choice, httpUrl, onOff, optionalCount, port, type SettingsGroup, text } from "./rules.js";

const level = choice("fatal", "error", "warn", "info", "debug", "silent");

export const LOGS = {
  title: "Logs, metrics and traces",
  text: "[Watch](watching.md) describes what they show.",
  settings: {
    LOG_LEVEL: {
      ...level,
      schema: level.schema.default("info"),
      text: "Minimum level. `debug` logs every call, without content, addresses or keys.",
    },
    ACCESS_LOG: {
      ...onOff,
      schema: onOff.schema.default("off"),
      text: "`on` logs every answered request: method, route, status, milliseconds, bytes.",
    },
    SLOW_STATEMENT_MS: {
      ...optionalCount("milliseconds", 1, 600_000),
      text: "Logs names of statements that take at least this many milliseconds.",
      example: "500",
    },
    METRICS_PORT: {
      ...port,
      schema: port.schema.optional(),
      text: "Separate port for `/metrics`.",
      example: "9464",
    },
    METRICS_HOST: {
      schema: text.default("127.0.0.1"),
      must: "an address to listen on",
      text: "Address of `METRICS_PORT`.",
    },
    METRICS_TOKEN: {
      schema: z
        .string()
        .regex(/^[\w.~+/=-]{16,}$/)
        .optional(),
      must: "at least 16 letters, digits or the signs of a bearer token (openssl rand -hex 32)",
      text: "Bearer token for `/metrics`; also serves it on the main port, which workers don't have.",
      example: "replace-me-by-a-long-random-text",
    },
    OTEL_EXPORTER_OTLP_ENDPOINT: {
      schema: httpUrl.optional(),
      must: "the address of an OpenTelemetry collector such as http://127.0.0.1:4318",
      text: "OpenTelemetry collector for traces.",
      example: "http://127.0.0.1:4318",
    },
    OTEL_SERVICE_NAME: {
      schema: text.default("minutes"),
      must: "the name of this service in the collector",
      text: "Name of this service in traces.",
    },
  },
} as const satisfies SettingsGroup;
