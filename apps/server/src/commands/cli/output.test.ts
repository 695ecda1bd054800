import { PassThrough } from "node:stream";
import { afterEach, expect, test, vi } from "vitest";
import { formatBytes, formatTable, note, type Progress, print, readSecret, withProgress } from "./output.js";

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

test.each([
  ["a terminal, which doesn't show it", true, "Password: \n"],
  ["stdin", false, ""],
])("a secret is read from %s", async (_, isTTY, shown) => {
  const terminal = Object.assign(new PassThrough(), { isTTY, setRawMode: vi.fn() });
  vi.spyOn(process, "stdin", "get").mockReturnValue(terminal as unknown as typeof process.stdin);
  const written: string[] = [];
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, "write").mockImplementation((text) => written.push(String(text)) > 0);
  const read = readSecret("Password");
  terminal.write("  open sesamx");
  terminal.write(isTTY ? "\u007fe\r" : "\nnext line\n");
  expect(await read).toBe(isTTY ? "open sesame" : "open sesamx");
  expect(written.join("")).toBe(shown);
  expect(terminal.setRawMode.mock.calls).toEqual(isTTY ? [[true], [false]] : []);
});

test.each([true, false])("a secret that isn't given is refused: terminal %s", async (isTTY) => {
  const terminal = Object.assign(new PassThrough(), { isTTY, setRawMode: () => {} });
  vi.spyOn(process, "stdin", "get").mockReturnValue(terminal as unknown as typeof process.stdin);
  vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const read = readSecret("Password");
  if (isTTY) terminal.write("\u0003");
  else terminal.end();
  await expect(read).rejects.toThrow("Password: type it at the prompt, or send it to stdin.");
});

test("a table fits into a width: its last column is cut, down to 20 characters", () => {
  const columns = { DATE: () => "2026-01-05", TEXT: (text: string) => text };
  const rows = ["The lamp of the lighthouse broke on Tuesday.", "Short."];
  expect(formatTable(rows, columns, 40)).toEqual([
    ...["DATE        TEXT", "2026-01-05  The lamp of the lighthouse…", "2026-01-05  Short."],
  ]);
  expect(formatTable(rows, columns, 10)[1]).toBe("2026-01-05  The lamp of the lig…");
  expect(formatTable(rows, columns)[1]).toBe(`2026-01-05  ${rows[0]}`);
});

test("the remaining time is estimated once a twentieth is done", async () => {
  const written: string[] = [];
  vi.spyOn(process.stderr, "write").mockImplementation((text) => written.push(String(text)) > 0);
  const work = async (progress: Progress) => {
    for (const done of [1, 49, 50, 999, 1_000]) progress.update(done);
  };
  await withProgress(1_000, "rows", work, { pause: -1 });
  expect(written.map((line) => line.includes("left"))).toEqual([false, false, true, true, false]);
});

test.each([
  [0, "0 KB"],
  [1, "1 KB"],
  [37_900, "38 KB"],
  [1_960_000, "2.0 MB"],
  [119_200_000, "120 MB"],
  [7_340_000_000, "7.3 GB"],
])("a size of %i bytes is shown as %s", (bytes, shown) => expect(formatBytes(bytes)).toBe(shown));
