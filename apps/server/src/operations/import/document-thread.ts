import { answerInPieces } from "@minutes/background/pieces";
import type { DocumentQuestion } from "./outcome.js";
import { parseMeetings } from "./parse-file.js";

// Runs in a worker thread (parse-in-thread.ts).
answerInPieces(({ file, options }: DocumentQuestion) => parseMeetings(file, options));
