import { afterEach, expect, test, vi } from "vitest";
import { formatTable, note, print } from "./output.js";

afterEach(() => vi.restoreAllMocks());

/** A name that clears the screen, forges a row and sends an 8-bit escape sequence. */
const NAME = "\u001b[2JBob\nroot  admin\u009b31m";
const SHOWN = "\\u001b[2JBob\\u000aroot  admin\\u009b31m";

test("control characters in a name reach no terminal, in whatever form it is printed", () => {
  const written: string[] = [];
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, "write").mockImplementation((text) => written.push(String(text)) > 0);
  }
  print({}, {}, formatTable([{ name: NAME }, { name: "Anna" }], { NAME: ({ name }) => name, ID: () => "x" }));
  print({}, {}, [`one ${NAME}`, "", "two"]);
  print({ json: true }, { name: NAME }, []);
  note(NAME);
  const width = SHOWN.length;
  expect(written).toEqual([
    `${"NAME".padEnd(width)}  ID\n${SHOWN}  x\n${"Anna".padEnd(width)}  x\n`,
    `one ${SHOWN}\n\ntwo\n`,
    expect.stringContaining("\\u009b31m"),
    `${SHOWN}\n`,
  ]);
  expect(JSON.parse(written[2] ?? "")).toEqual({ name: NAME });
});
