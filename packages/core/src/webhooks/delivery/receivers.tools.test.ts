import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { findFreePort, needs } from "@minutes/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { SAMPLE_DATA, toDeliveryBody } from "./payload.js";
import { signBody } from "./sign.js";

const root = fileURLToPath(new URL("../../../../../", import.meta.url));
const SECRET = "ss_of the documentation ü";

describe.each([
  ["ts", "TypeScript", "examples/express-webhook", process.execPath, ["--import", "tsx", "server.ts"]],
  ["python", "Python", "examples/python-webhook", "python3", ["receiver.py"]],
] as const)("examples of receivers", (language, name, folder, command, args) => {
  test(
    `the receiver in ${name} accepts each signed delivery once`,
    language === "python" ? needs("python3") : {},
    async () => {
      const file = args.at(-1);
      const [docs, source] = await Promise.all(
        ["docs/webhooks.md", `${folder}/${file}`].map((path) => readFile(`${root}${path}`, "utf8")),
      );
      // The page shows one receiver whole and links to the other.
      if (language === "ts") expect(docs).toContain(`\`\`\`ts\n${source}\`\`\``);

      const port = await findFreePort();
      const { PATH, HOME } = process.env;
      const child = spawn(command, args, {
        cwd: `${root}${folder}`,
        env: { PATH, HOME, PORT: String(port), WEBHOOK_SECRET: SECRET } as unknown as NodeJS.ProcessEnv,
        stdio: ["ignore", "pipe", "inherit"],
      });
      onTestFinished(() => void child.kill("SIGKILL"));
      let printed = "";
      child.stdout.on("data", (text) => {
        printed += text;
      });
      await expect.poll(() => printed).toBe("listening\n");

      const body = toDeliveryBody("42", 1_795_261_119, JSON.stringify(SAMPLE_DATA));
      const seconds = Math.floor(Date.now() / 1000);
      const post = async (text: string, header: string) => {
        const answer = await fetch(`http://127.0.0.1:${port}/webhook`, {
          method: "POST",
          body: text,
          headers: { "content-type": "application/json", "x-service-signature": header },
        });
        return answer.status;
      };
      const fresh = signBody(SECRET, body, seconds);
      expect(await post(body, fresh)).toBe(204);
      // During a secret rotation: a receiver with the old secret.
      expect(await post(body, signBody("ss_new", body, seconds, [SECRET]))).toBe(204);
      expect(await post(`${body} `, fresh)).toBe(400);
      expect(await post(body, signBody("ss_another", body, seconds, ["ss_third"]))).toBe(400);
      expect(await post(body, signBody(SECRET, body, seconds - 301))).toBe(400);
      expect(await post(body, fresh.replace("v0", "v1"))).toBe(400);
      await expect
        .poll(() => printed)
        .toBe(`listening\n${SAMPLE_DATA.title}: ${SAMPLE_DATA.summary.short}\n`);
    },
  );
});
