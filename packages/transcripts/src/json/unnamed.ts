import type { Transcript } from "../transcript.js";

/** The fields that every transcript has. Whether speech lacks a speaker is found when all is read. */
export const UNNAMED = { turns: [], unassigned: [] } as const satisfies Transcript;
