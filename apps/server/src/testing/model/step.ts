import type { Database } from "@minutes/db";
import type { Random } from "@minutes/testing";
import type { TestServer } from "../server.js";
import { type Expected, ok } from "./answers.js";
import type { User, World } from "./world.js";

/** The part of a server that the model uses. */
export type ModelServer = Pick<TestServer, "call" | "connection" | "data" | "db" | "given" | "url">;

/** The context of a step. `expect` fails the test with the history and both answers. */
export interface Step {
  readonly server: ModelServer;
  readonly db: Database;
  readonly world: World;
  readonly random: Random;
  readonly expect: (what: string, answered: Expected, expected: Expected) => void;
}

export const done = ok({ success: true });

export const callSettings = async (
  step: Step,
  user: User,
  route: string,
  input?: object,
): Promise<Expected> =>
  step.server.call(await step.server.given.session({ userId: user.id }), `settings/${route}`, input);
