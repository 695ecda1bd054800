import { fileURLToPath } from "node:url";
import { needs } from "@minutes/testing";
import { expect, test } from "vitest";
import { bash, sampleDataDir } from "../testing/process.js";

const MINUTES = fileURLToPath(new URL("../../bin/minutes.js", import.meta.url));

/** Starts a server on its own terminal and waits until it listens. @returns the terminal's output */
async function startOnTerminal(options: string): Promise<string> {
  const DATA_DIR = await sampleDataDir();
  const { stdout } = await bash(`
    export DATA_DIR='${DATA_DIR}' PORT=0 EMBEDDINGS=off
    python3 - <<'EOF'
import os, pty, signal, sys
pid, terminal = pty.fork()
if pid == 0: os.execv("${process.execPath}", ["node", "--liftoff-only", "${MINUTES}", "start"${options}])
shown = b""
while b"listening" not in shown.split(b"\\n\\n")[-1] or b"engine" not in shown or not shown.endswith(b"\\n"):
  shown += os.read(terminal, 4096).replace(b"\\r", b"")
os.kill(pid, signal.SIGKILL)
sys.stdout.buffer.write(shown)
EOF`);
  return stdout;
}

test("stdout on a terminal is readable lines", needs("bash", "python3", "embedded"), async () => {
  const shown = await startOnTerminal("");
  expect(shown).toMatch(/^Minutes is listening on http:/m);
  expect(shown).toMatch(/personal key of .*: jk_\w+/);
  expect(shown).toMatch(/^\d\d:\d\d:\d\d\.\d{3} INFO {2}listening engine=embedded/m);
});

test("stdout on a terminal is JSON with --json", needs("bash", "python3", "embedded"), async () => {
  const lines = (await startOnTerminal(', "--json"')).trimEnd().split("\n");
  const records = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(records).toContainEqual(expect.objectContaining({ link: expect.stringContaining("#") }));
  expect(records.at(-1)).toMatchObject({ msg: "listening" });
});
