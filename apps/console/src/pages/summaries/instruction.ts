import { settings, type settingsClient } from "../../api/clients";

type Lists = Awaited<ReturnType<typeof settingsClient.instructions.list.query>>;

export type ListName = "personal" | "team";
export type Instruction = Lists[ListName][number];

/** Query keys to refetch after an instruction has changed. */
export const INSTRUCTION_QUERIES = [settings.instructions.pathKey()];
