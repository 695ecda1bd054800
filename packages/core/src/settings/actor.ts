import type { SettingsContext } from "../trpc/index.js";

/** Whoever signed in acts as himself: each function that is called checks what he may do. */
export const actor = ({ user }: SettingsContext) => ({ kind: "user", userId: user.userId }) as const;

/** The answer of what has nothing to say. */
export const done = { success: true } as const;
