import type { Command } from "commander";
import { checkInstallation } from "../doctor/index.js";
import { EXIT } from "./failure.js";
import { print } from "./output.js";
import { addCommand } from "./run.js";

/** Adds `minutes doctor`. */
export function addDoctorCommands(program: Command): void {
  addCommand(program, "doctor", "check this installation, and say what to do about what is wrong").action(
    async (options) => {
      const checks = await checkInstallation(process.env);
      const lines = checks.map(
        ({ name, status, message }) => `${status.padEnd(4)}  ${name.padEnd(14)}  ${message}`,
      );
      print(options, checks, lines);
      if (checks.some(({ status }) => status === "fail")) process.exitCode = EXIT.failed;
    },
  );
}
