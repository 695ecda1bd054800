import type { OperatorCommand } from "../cli/command.js";
import { EXIT } from "../cli/exit.js";
import { print } from "../cli/output.js";
import type { database } from "../procedures/inspect.js";

/** Adds `minutes doctor`. */
export function addDoctorCommands(program: OperatorCommand<{ database: typeof database }>): void {
  program.add("doctor", "check this installation, and say how to fix problems").action(async (options) => {
    const { checkInstallation } = await import("./index.js");
    const checks = await checkInstallation(process.env, program.connect);
    const lines = checks.map(
      ({ name, status, message }) => `${status.padEnd(4)}  ${name.padEnd(14)}  ${message}`,
    );
    print(options, checks, lines);
    if (checks.some(({ status }) => status === "fail")) process.exitCode = EXIT.failed;
  });
}
