/** `pnpm bench:transcripts`: CPU time of parsing and validating a file of each form that the generator writes, and of a document. */
import { parseArgs } from "node:util";
import { zipSync } from "fflate";
import { parseMeetings } from "../../apps/server/src/operations/import/parse-file.js";
import { FORMS, type Meeting } from "../../packages/transcripts/src/testing/render.js";

const { values: options } = parseArgs({
  options: {
    megabytes: { type: "string", default: "10" },
    only: { type: "string", default: "" },
    help: { type: "boolean", default: false },
  },
});
if (options.help) {
  console.log(`pnpm bench:transcripts [options]
  --megabytes 10           size of each file
  --only WebVTT            only forms whose name has this text`);
  process.exit(0);
}

const BYTES = Number(options.megabytes) * 1_000_000;
const NAMES = ["Will Turner", "An Nguyen", "Priya Nair", "Zoë Groß"];
const WORDS =
  "the roof leaks again and we agreed on Monday that the pump is replaced before it freezes".split(" ");
/** Number of turns, so that none of the files has too many to be stored. */
const TURNS = 90_000;

/** Creates a meeting whose turns have so many characters. */
const createMeeting = (turns: number, characters: number): Meeting => ({
  turns: Array.from({ length: turns }, (_, at) => {
    let text = "";
    for (let word = at; text.length < characters; word++) text += `${WORDS[word % WORDS.length]} `;
    return { speaker: NAMES[(at * 7) % NAMES.length] ?? "", text: `${text.trim()}.`, start: at };
  }),
});

/** Writes a file of the wanted size. */
function writeFile(write: (meeting: Meeting) => string): Buffer {
  const overhead = Buffer.byteLength(write(createMeeting(1_000, 20))) / 1_000 - 23;
  return Buffer.from(write(createMeeting(TURNS, Math.max(1, BYTES / TURNS - overhead - 3))));
}

/** Writes a document as Teams does: a paragraph per turn, with a line for the name and the time. */
function writeDocument({ turns }: Meeting): Buffer {
  const body = turns
    .map(
      ({ speaker, text, start }) =>
        `<w:p><w:r><w:t>${speaker}   ${Math.floor(start / 60)}:${String(start % 60).padStart(2, "0")}</w:t></w:r><w:r><w:br/></w:r><w:r><w:t>${text}</w:t></w:r></w:p>`,
    )
    .join("");
  const xml = `<?xml version="1.0"?><w:document xmlns:w="x"><w:body>${body}</w:body></w:document>`;
  return Buffer.from(zipSync({ "word/document.xml": Buffer.from(xml) }));
}

async function measure(form: string, name: string, bytes: Buffer): Promise<void> {
  const before = process.cpuUsage();
  const parsed = await parseMeetings(
    { name, bytes, modifiedAt: new Date(0).toISOString() },
    { owner: "bench@example.com" },
  );
  const { user, system } = process.cpuUsage(before);
  const [one] = parsed;
  const turns =
    one && "input" in one ? one.input.transcript.length : one && "error" in one ? one.error : "nothing";
  console.log(
    [
      ((user + system) / 1e6).toFixed(2).padStart(6),
      (bytes.length / 1e6).toFixed(1).padStart(6),
      String(turns).padStart(7),
      form,
    ].join("  "),
  );
}

console.log("CPU s  MB      turns    form");
for (const [form, { file, write }] of Object.entries(FORMS).filter(([name]) => name.includes(options.only)))
  await measure(form, file, writeFile(write));
if ("Word document".includes(options.only))
  await measure(
    "Word document",
    "a.docx",
    writeDocument(createMeeting(TURNS, Math.max(1, BYTES / TURNS - 30))),
  );
