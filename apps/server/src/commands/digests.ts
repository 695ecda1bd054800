import type { Digests } from "@minutes/contract";
import type { operatorManagement } from "@minutes/core";
import { Option } from "commander";
import { actAs, type OperatorCommand } from "./cli/command.js";
import { type CommonOptions, print } from "./cli/output.js";

const CHOICES = ["on", "off"];

type Operations = Pick<typeof operatorManagement, "digests">;

/** Adds `minutes digests …`. */
export function addDigestsCommands(program: OperatorCommand<Operations>): void {
  const commands = program.command("digests").description("e-mails that a user gets about meetings");

  commands
    .add("get <user>", "show which e-mails a user gets")
    .run(async ({ digests }, user, options) =>
      printDigests(options, await digests.get.query({}, actAs({ user }))),
    );
  commands
    .add("update <user>", "start or end a user's e-mails")
    .addOption(new Option("--meeting <choice>", "one about each of their meetings").choices(CHOICES))
    .addOption(new Option("--week <choice>", "one on Monday morning").choices(CHOICES))
    .run(async ({ digests }, user, { meeting, week, ...options }) => {
      const change = {
        ...(meeting && { meeting: meeting === "on" }),
        ...(week && { week: week === "on" }),
      };
      printDigests(options, await digests.update.mutate(change, actAs({ user })));
    });
}

const printDigests = (options: CommonOptions, digests: Digests): void =>
  print(
    options,
    digests,
    [`meeting  ${digests.meeting ? "on" : "off"}`, `week     ${digests.week ? "on" : "off"}`],
    digests.available ? [] : ["SMTP_URL is not set: nothing is sent."],
  );
