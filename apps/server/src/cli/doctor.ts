import type { Command } from "commander";
import { examine } from "../doctor/index.js";
import { EXIT } from "./failure.js";
import { print } from "./output.js";
import { addCommand } from "./run.js";

/** `minutes doctor` */
export function addDoctor(program: Command): void {
  addCommand(program, "doctor", "say what is wrong with this installation, and what to do about it").action(
    async (options) => {
      const checks = await examine(process.env);
      const lines = checks.map(
        ({ name, status, message }) => `${status.padEnd(4)}  ${name.padEnd(14)}  ${message}`,
      );
      print(options, checks, lines);
      if (checks.some(({ status }) => status === "fail")) process.exitCode = EXIT.failed;
    },
  );
}
