import { execFile } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { anyCharacter } from "@minutes/testing/any-character";
import fc from "fast-check";
import { toDeliveryBody } from "../payload.js";
import { signBody } from "../sign.js";

const run = promisify(execFile);

/** Verifies each file's body with its secret, and prints the number of valid signatures. */
const PYTHON = `
import hashlib, hmac, json, sys
right = 0
for line in open(sys.argv[1] + "/index", encoding="utf-8"):
    number, t, v0, secret = line.rstrip("\\n").split(" ")
    body = open(sys.argv[1] + "/" + number, "rb").read()
    right += hmac.compare_digest(hmac.new(secret.encode(), t.encode() + b"." + body, hashlib.sha256).hexdigest(), v0)
    json.loads(body)
print(right)`;
const OPENSSL = `
right=0
while read -r number t v0 secret; do
  hex=$({ printf '%s.' "$t"; cat "$number"; } | openssl dgst -sha256 -hmac "$secret" -r)
  [ "\${hex%% *}" = "$v0" ] && right=$((right + 1))
done <index
echo $right`;

/** Any text that the databases can store: no NUL, no unpaired surrogates. */
const text = fc.string({ unit: anyCharacter, maxLength: 200 }).map((some) => some.replaceAll("\0", ""));

/** An independent implementation of the signature. */
export type Verifier = "node" | "python3" | "openssl";

/**
 * Signs random Unicode payloads and verifies the signatures with another implementation.
 * @param count number of payloads
 * @returns the number of valid signatures
 */
export async function countVerified(count: number, verifier: Verifier): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), "minutes-signatures-"));
  try {
    const payloads = fc.sample(fc.tuple(text, text, text, fc.stringMatching(/^ss_[0-9A-Za-z]{49}$/)), count);
    const index: string[] = [];
    let node = 0;
    for (const [number, [title, short, said, secret]] of payloads.entries()) {
      const data = { id: `mtg_${number}`, title, summary: { short }, transcript: [{ text: said }] };
      const body = toDeliveryBody(String(number + 1), 1_795_261_119, JSON.stringify(data));
      const seconds = Math.floor(Date.now() / 1000);
      const header = signBody(secret, body, seconds);
      const message = Buffer.concat([Buffer.from(`${seconds}.`), Buffer.from(body)]);
      if (createHmac("sha256", secret).update(message).digest("hex") === header.slice(-64)) node++;
      await writeFile(join(directory, String(number)), body);
      index.push(`${number} ${seconds} ${header.slice(-64)} ${secret}`);
    }
    await writeFile(join(directory, "index"), `${index.join("\n")}\n`);
    if (verifier === "node") return node;
    const { stdout } = await (verifier === "python3"
      ? run("python3", ["-c", PYTHON, directory])
      : run("bash", ["-c", OPENSSL], { cwd: directory }));
    return Number(stdout);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
