import { expect, test } from "vitest";
import { askInPieces, type Piece } from "./pieces.js";
import { Thread } from "./thread.js";

const WORKER = `import { register } from "${import.meta.resolve("tsx/esm/api")}";
register();
const { answerInPieces } = await import("${new URL("./pieces.ts", import.meta.url)}");
answerInPieces((count) => ({
  before: "x",
  list: Array.from({ length: count }, (_, at) => ({ at, words: Array.from({ length: at % 3 === 0 ? 9_000 : 2 }, (_, word) => word) })),
  nothing: null,
  short: [[1], []],
  missing: undefined,
}));`;

test("a large answer arrives in pieces, whole and in order", async () => {
  const thread = new Thread<number | null, Piece>({
    file: new URL(`data:text/javascript,${encodeURIComponent(WORKER)}`),
    deadline: 60_000,
    memory: 256,
  });
  const sizes: number[] = [];
  const ask = (count: number) =>
    thread.use((asked) =>
      askInPieces(async (question: number | null) => {
        const piece = await asked(question);
        sizes.push(JSON.stringify(piece.value).length);
        return piece;
      }, count),
    );
  const make = (count: number) => ({
    before: "x",
    list: Array.from({ length: count }, (_, at) => ({
      at,
      words: Array.from({ length: at % 3 === 0 ? 9_000 : 2 }, (__, word) => word),
    })),
    nothing: null,
    short: [[1], []],
    missing: undefined,
  });
  expect(await ask(20)).toStrictEqual(make(20));
  expect(sizes.length).toBeGreaterThan(10);
  expect(Math.max(...sizes)).toBeLessThan(128 * 1024);
  sizes.length = 0;
  expect(await ask(1)).toStrictEqual(make(1));
  expect(await ask(0)).toStrictEqual(make(0));
});
