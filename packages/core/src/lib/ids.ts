import { randomBytes } from "node:crypto";
import { toBase62 } from "./base62.js";

/** The kind of object; the prefix makes a stray id recognizable. */
type IdPrefix =
  | "usr"
  | "ws"
  | "mtg"
  | "tsk"
  | "tag"
  | "evt"
  | "key"
  | "whk"
  | "ses"
  | "inv"
  | "trm"
  | "pk"
  | "per"
  | "spk"
  | "acc"
  | "ret"
  | "app";

/** Generates a random identifier, such as `mtg_4fVq…`: 128 bits, unguessable. */
export const generateId = (prefix: IdPrefix): string => `${prefix}_${toBase62(randomBytes(16), 22)}`;
