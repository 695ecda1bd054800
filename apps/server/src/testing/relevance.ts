import type { RatedSearchResults, Relevance } from "@minutes/contract";
import { importMeeting } from "@minutes/core";
import { type Embedder, withCircuitBreaker } from "@minutes/search";
import { type Person, send } from "@minutes/testing";
import { expect, onTestFinished } from "vitest";
import { readWrittenSample } from "../demo/sample.js";
import { startTestServer, type TestServer } from "./server.js";

/** Questions that the sample company's meetings answer: in their words, in other words, and from notes. */
const REAL: readonly string[] = [
  "how long did the restore drill take",
  "mechanical timer drifts eleven minutes a day",
  "which slide is the outage on",
  "how many paper sheets and initials a week",
  "firmware update check the battery below forty percent",
  "storage key clean-up job access denied",
  "what salary do we offer Samira",
  "temperature in the proofing rooms",
  "presets instead of a slider ten twenty thirty minutes",
  "why does Maeve mute the phone",
  "delivery of our electronic components is delayed",
  "how much cash is left and when do we go bankrupt",
  "who can recover our data if the engineer dies",
  "spoiled food thrown out at a school caterer",
  "device becomes unusable when electricity fails while upgrading",
  "root cause of the corrupted copies of the database",
  "a client noticed the downtime before we did",
  "subscription levels and their cost",
  "dough fails to rise when it is cold",
  "older people cannot hear shrill tones",
  "supplier discontinues a part",
  "farmer silences the notifications to be able to sleep",
  "how many hubs are in stock",
  "backup of 4 KB instead of 38 GB",
  "what Priya objects to",
  "credit the sites one month",
  "publish the position",
  "a sound below 1,000 Hz",
  "Startgespräch",
  "Viktor Brandmo",
];

/** Random words, no words, other topics and other languages. */
const NONSENSE: readonly string[] = [
  "turnip galaxy mitten dragon",
  "flamingo anvil custard tornado",
  "noodle pirate hammock harpsichord",
  "comet violin gravy trapeze",
  "octopus chandelier tambourine fog",
  "giraffe bagpipe lagoon velvet",
  "blorf snigglewump quaxtle",
  "hjkl hjkl hjkl",
  "aaaaaaa bbbbbbb",
  "wibble frotz glarb",
  "xkcd ytrewq plmokn",
  "fnord plugh xyzzy",
  "best chords for a ukulele song in G major",
  "who composed the Moonlight Sonata",
  "the plot of Romeo and Juliet",
  "treatment of aphids on tomato plants",
  "how volcanoes form above subduction zones",
  "when do cherry trees blossom in Kyoto",
  "how do I tie a bowline knot on a sailing boat",
  "mating rituals of emperor penguins",
  "symptoms of a torn knee ligament in skiers",
  "how did the Roman emperor Nero die",
  "tuning the carburettor of an old motorcycle",
  "why was the Sphinx of Giza built",
  "quels champignons poussent sous les chênes",
  "milloin sauna on lämmin",
  "vilken färg har katten på taket",
  "ricetta della nonna per le lasagne",
  "как приготовить борщ",
  "東京の天気はどうですか",
];

/**
 * Number of meetings of a workspace in its first week. Rarity says little among so few, so nonsense is refused less; but it must
 * not look like an answer.
 */
const FEW = 5;

/** What is required of the nonsense queries: how many at least have no results, and how many at most have a match. */
interface Limits {
  readonly refused: number;
  readonly matched: number;
  /** Those with a match in a few meetings. */
  readonly matchedInFew: number;
}

/**
 * Requires that search over the sample company answers every real question, nearly all with a match, that enough nonsense has no
 * results, and that hardly any is said to match, also among few meetings.
 * @param embedder absent for a lexical search
 */
export async function requireRelevance(limits: Limits, embedder?: Embedder): Promise<void> {
  // A slow machine must not turn the search into a lexical one.
  const similarity = embedder ? withCircuitBreaker(embedder, { queryTimeout: 120_000 }) : undefined;
  const server = await startTestServer(similarity ? { similarity } : {});
  onTestFinished(() => server.close());
  const { meetings } = await readWrittenSample(new Date());
  const giveSample = async (count?: number) => {
    const who = await server.given.person();
    for (const meeting of meetings.slice(0, count))
      await importMeeting(server.db, { ...meeting, ownerEmail: who.email });
    return (query: string) => rate(server, who, query);
  };
  const [search, searchFew] = [await giveSample(), await giveSample(FEW)];
  while (((await embedder?.embedMeetings(server.db, new AbortController().signal)) ?? 0) > 0);

  const real = await classify(REAL, search);
  expect(real.unanswered).toEqual([]);
  expect(real.matched.length, "questions with a match").toBeGreaterThanOrEqual(REAL.length - 2);
  const nonsense = await classify(NONSENSE, search);
  expect(nonsense.unanswered.length, nonsense.answered.join("\n")).toBeGreaterThanOrEqual(limits.refused);
  expect(nonsense.matched.length, nonsense.matched.join("\n")).toBeLessThanOrEqual(limits.matched);
  const { matched } = await classify(NONSENSE, searchFew);
  expect(matched.length, matched.join("\n")).toBeLessThanOrEqual(limits.matchedInFew);
}

type Rating = Relevance | "none";

/** Returns how well a query's results fit at best. */
async function rate(server: TestServer, who: Person, query: string): Promise<Rating> {
  const answer = await send(server.url, `/rest/v1/me/search?${new URLSearchParams({ q: query })}`, {
    headers: { "x-api-key": who.key },
  });
  expect(answer.status).toBe(200);
  const { results } = answer.body as RatedSearchResults;
  return results.some(({ relevance }) => relevance === "match") ? "match" : (results[0]?.relevance ?? "none");
}

async function classify(queries: readonly string[], search: (query: string) => Promise<Rating>) {
  const rated: (readonly [string, Rating])[] = [];
  for (const query of queries) rated.push([query, await search(query)]);
  const list = (test: (rating: Rating) => boolean) =>
    rated.filter(([, rating]) => test(rating)).map(([query]) => query);
  return {
    unanswered: list((rating) => rating === "none"),
    answered: list((rating) => rating !== "none"),
    matched: list((rating) => rating === "match"),
  };
}
