import type { SearchResults } from "@minutes/contract";
import { readPayload } from "@minutes/testing";
import { listSearchable, refuseSearch, type SearchInput } from "./answers-of-meetings.js";
import { STARTS } from "./populate.js";
import { listCompleted } from "./rules.js";
import type { Step } from "./step.js";
import type { Content, Meeting, User } from "./world.js";

/** Returns a range of times or days that may be open. */
export const toRange = (first: boolean, last: boolean, from: string, to: string, days: boolean) => ({
  ...(first ? { startDate: days ? from.slice(0, 10) : from } : {}),
  ...(last ? { endDate: days ? to.slice(0, 10) : to } : {}),
});

/** Picks a range of the times at which meetings start. */
export const chooseRange = ({ random }: Pick<Step, "random">) =>
  toRange(
    random.chance(0.2),
    random.chance(0.2),
    random.pick(STARTS),
    random.pick(STARTS),
    random.chance(0.5),
  );

/**
 * Compares a search. The contract does not define the ranking. It defines which results are allowed: everything found
 * is readable, in the range, and names its meeting. A word finds only the meeting that contains it, and finds it if it was spoken.
 */
export async function compareSearch(step: Step, user: User): Promise<void> {
  const { random, world, server } = step;
  const spoken = random.any(listCompleted(world).flatMap(({ content }) => listWords(content)));
  const word = random.chance(0.8) ? spoken : random.any(world.words);
  const input: SearchInput = {
    query: random.chance(0.7) && word ? word : "long and windy morning",
    ...chooseRange(step),
  };
  const answer = await server.call(user.key, "me/meetings.search", input);
  const what = `${user.name} asks me/meetings.search ${JSON.stringify(input)}`;
  const refusal = refuseSearch(user);
  if (refusal) return step.expect(what, answer, refusal);
  const among = listSearchable(world, user, input, STARTS[2] ?? "");
  const { results } = readPayload<SearchResults>(answer);
  const expected = results.map((chunk) => {
    const meeting = among.find(({ id }) => id === chunk.meetingId);
    return {
      id: meeting && chunk.id.startsWith(`${meeting.id}-chunk-`) ? chunk.id : "not to be found",
      text: chunk.text,
      meetingId: meeting?.id,
      meetingTitle: meeting?.content.title,
      meetingDate: meeting?.content.startTime.slice(0, 10),
    };
  });
  step.expect(what, answer, { status: 200, body: { result: { data: { json: { results: expected } } } } });
  const isWord = input.query === word;
  const place = among.find(({ content }) => listWords(content).includes(input.query));
  const found = results.find(
    ({ meetingId }) => !among.some((one) => one.id === meetingId && mentions(one, input.query)),
  );
  if (isWord && (found || (place && results[0]?.meetingId !== place.id))) {
    const body = `${place?.id}, which has the word, first, and others that mention it`;
    step.expect(what, answer, { status: 200, body });
  }
}

const mentions = ({ content: { turns, summary } }: Meeting, word: string): boolean =>
  turns.some(({ text }) => text.includes(word)) ||
  (summary !== null && !summary.locked && `${summary.markdown} ${summary.short}`.includes(word));

/** Lists the words of a meeting that no other one has. */
const listWords = ({ turns }: Content): string[] =>
  turns.flatMap(({ text }) => text.match(/\bqu[b-m]+ix\b/g) ?? []);
