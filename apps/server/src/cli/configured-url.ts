import { readEnv } from "../env.js";

/** Where the server is, as far as the settings tell. */
export function configuredUrl(): string {
  const { HOST, PORT } = readEnv(process.env);
  const host = HOST === "0.0.0.0" || HOST === "::" ? "127.0.0.1" : HOST;
  return `http://${host.includes(":") ? `[${host}]` : host}:${PORT}`;
}
