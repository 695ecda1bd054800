import type { Command } from "commander";
import { forwardMessages } from "../mcp/stdio.js";
import { PROGRAM_FILE } from "../program-file.js";
import { getConfiguredUrl } from "./configured-url.js";
import { UsageError } from "./failure.js";
import { print } from "./output.js";

interface Options {
  readonly url?: string;
  readonly printConfig?: true;
}

/** Adds `minutes mcp`. */
export function addMcpCommands(program: Command): void {
  program
    .command("mcp")
    .description(
      "connect an assistant over stdin and stdout to the running server, with the key in MINUTES_API_KEY",
    )
    .option("--url <url>", "address of the server; the one that HOST and PORT name when absent")
    .option("--print-config", "print the configuration that an assistant needs to start this command")
    .action(async ({ url = getConfiguredUrl(), printConfig }: Options) => {
      if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
        throw new UsageError("--url must be the server's address, such as http://127.0.0.1:3000.");
      }
      if (printConfig) return print({ json: true }, createAssistantConfig(url), []);
      const key = process.env.MINUTES_API_KEY;
      if (!key) throw new UsageError("Set MINUTES_API_KEY to the key that the assistant works with.");
      await forwardMessages(url, key);
    });
}

/**
 * Creates the configuration for assistants that start a program. Paths are absolute, because assistants start it in a folder of
 * their own, often without the `PATH` of a shell.
 */
const createAssistantConfig = (url: string) => ({
  mcpServers: {
    minutes: {
      command: process.execPath,
      args: [PROGRAM_FILE, "mcp", "--url", url],
      env: { MINUTES_API_KEY: "jk_…" },
    },
  },
});
