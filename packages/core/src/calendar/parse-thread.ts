import { answerInPieces } from "@minutes/background/pieces";
import { type FeedQuestion, parseFeed } from "./parse-feed.js";

// Runs in a worker thread (read-feed.ts).
answerInPieces((question: FeedQuestion) => parseFeed(question));
