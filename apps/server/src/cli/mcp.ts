import type { Command } from "commander";
import { bridge } from "../mcp/stdio.js";
import { configuredUrl } from "./configured-url.js";
import { UsageError } from "./failure.js";

/** `minutes mcp` */
export function addMcp(program: Command): void {
  program
    .command("mcp")
    .description(
      "connect an assistant over stdin and stdout to the running server, with the key in MINUTES_API_KEY",
    )
    .option("--url <url>", "where the server is, if not where HOST and PORT say")
    .action(async ({ url = configuredUrl() }: { url?: string }) => {
      const key = process.env.MINUTES_API_KEY;
      if (!key) throw new UsageError("Set MINUTES_API_KEY to the key that the assistant works with.");
      if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
        throw new UsageError("--url must be the server's address, such as http://127.0.0.1:3000.");
      }
      await bridge(url, key);
    });
}
