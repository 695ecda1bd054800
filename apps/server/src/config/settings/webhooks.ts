import { RETRIES } from "@minutes/core/webhook-settings";
import { z } from "zod";
import { count, list, networks, type SettingsGroup } from "./rules.js";

const DAY_SECONDS = 86_400;

const delays = list
  .refine((values) => values.length === RETRIES && values.every((value) => /^\d+(\.\d+)?$/.test(value)))
  .transform((values) => values.map(Number))
  .refine((values) => values.every((seconds) => seconds <= DAY_SECONDS));

export const WEBHOOKS = {
  title: "Webhooks",
  settings: {
    WEBHOOK_RETRY_DELAYS: {
      schema: delays.default([10, 60, 600, 3600]),
      must: `${RETRIES} numbers of seconds between attempts, such as 10,60,600,3600`,
      text: "Seconds between the five attempts of a delivery.",
    },
    WEBHOOK_LOG_DAYS: { ...count("days", 1, 3650, 30), text: "Days to keep the delivery log." },
    WEBHOOK_ALLOWED_NETWORKS: {
      schema: networks.default([]),
      must: "a comma-separated list of networks such as 10.0.0.0/8",
      text: "Private networks that webhooks can call, such as `10.0.0.0/8`.",
      example: "10.0.0.0/8",
    },
    WEBHOOK_CA_FILE: {
      schema: z.string().optional(),
      must: "a file of certificates in PEM form",
      text: "PEM file of certificate authorities to trust in addition to the public ones.",
      example: "/etc/ssl/certs/own-authority.pem",
    },
  },
} as const satisfies SettingsGroup;
