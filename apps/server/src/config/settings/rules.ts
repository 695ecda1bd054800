import { BlockList, isIP } from "node:net";
import { parseNetwork } from "@minutes/core/webhook-settings";
import { hasUnencodedCredentials } from "@minutes/db/database-url";
import { z } from "zod";

/** A setting: how it is parsed, and how it is documented. */
export interface Setting<Schema extends z.ZodType = z.ZodType> {
  readonly schema: Schema;
  /** Completes the error message "NAME must be …". */
  readonly must: string;
  /** Description in docs/settings.md. */
  readonly text: string;
  /** Value in .env.example; the default if absent. */
  readonly example?: string;
  /** The meaning of an unset setting without a default. */
  readonly unset?: string;
}

/** Settings with a heading in docs/settings.md and .env.example. */
export interface SettingsGroup {
  readonly title: string;
  /** Sentence below the heading. */
  readonly text?: string;
  readonly settings: Readonly<Record<string, Setting>>;
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** Returns true if a host name or address is reachable only from this machine. IPv6 brackets are allowed. */
export function isLoopback(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, "$1");
  const family = isIP(address);
  if (family === 0) return address === "localhost" || address.endsWith(".localhost");
  return LOOPBACK.check(address, family === 4 ? "ipv4" : "ipv6");
}

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/)
    .transform(Number)
    .refine((value) => value >= min && value <= max);

/** Creates the rule of a whole number of something. */
export const optionalCount = (what: string, min: number, max: number) => ({
  schema: wholeNumber(min, max).optional(),
  must: `a number of ${what} from ${min} to ${max}`,
});

/** Creates the rule of a whole number of something with a default. */
export const count = (what: string, min: number, max: number, byDefault: number) => ({
  ...optionalCount(what, min, max),
  schema: wholeNumber(min, max).default(byDefault),
});

export const port = { schema: wholeNumber(0, 65_535), must: "a port number from 0 to 65535" };

/** Creates the rule of a setting that is one of these values. */
export const choice = <const Values extends readonly [string, ...string[]]>(...values: Values) => ({
  schema: z.enum(values),
  must: `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`,
});

export const onOff = choice("on", "off");

export const text = z.string().min(1);

/** Values separated by commas. */
export const list = z.string().transform((values) =>
  values
    .split(",")
    .map((value) => value.trim())
    .filter(Boolean),
);

export const httpUrl = z
  .string()
  .refine((url) => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol));

/** Explains that a setting's or option's URL has a password with characters that URLs reserve; null for others. */
export const explainCredentials = (name: string, url: string): string | null =>
  hasUnencodedCredentials(url)
    ? `${name} has reserved characters in its user or password. Percent-encode them: # is %23, / is %2F, ? is %3F, @ is %40 and % is %25.`
    : null;

/** Networks such as 10.0.0.0/8, separated by commas. */
export const networks = list.refine((values) => values.every((value) => parseNetwork(value) !== null));
