import { PROGRAM_FILE } from "../config/command.js";
import { forwardMessages } from "../mcp/stdio.js";
import type { OperatorCommand } from "./cli/command.js";
import { UsageError } from "./cli/exit.js";
import { print } from "./cli/output.js";
import { findServerUrl } from "./operator/request.js";

interface Options {
  readonly url?: string;
  readonly printConfig?: true;
}

/** Adds `minutes mcp`. */
export function addMcpCommands(program: OperatorCommand): void {
  program
    .command("mcp")
    .description(
      "connect an assistant over stdin and stdout to the running server, with the key in MINUTES_API_KEY",
    )
    .option(
      "--url <url>",
      "URL of the server; by default of the running one, otherwise derived from HOST and PORT",
    )
    .option("--print-config", "print the configuration with which an assistant starts this command")
    .action(async ({ url: given, printConfig }: Options) => {
      const url = given ?? (await findServerUrl(program.getConfig()));
      if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
        throw new UsageError("--url must be the server's URL, such as http://127.0.0.1:3000.");
      }
      if (printConfig) return print({ json: true }, createAssistantConfig(url), []);
      const key = process.env.MINUTES_API_KEY?.trim() ?? "";
      // The printed configuration has a placeholder, with a character that no header can have.
      if (!/^[!-~]+$/.test(key)) throw new UsageError("Set MINUTES_API_KEY to the assistant's key.");
      await forwardMessages(url, key);
    });
}

/**
 * Creates the configuration for assistants that start a program. Paths are absolute, because assistants run it in
 * another folder, often without a shell's `PATH`.
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
