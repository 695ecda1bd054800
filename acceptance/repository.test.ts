import { access, readFile } from "node:fs/promises";
import { parseEnv } from "node:util";
import { expect, test } from "vitest";
import { parseConfig } from "../apps/server/src/config/config.js";
import { toRepositoryPath } from "./support/run.js";

const read = (path: string) => readFile(toRepositoryPath(path), "utf8");

test("each value in .env.example is accepted", async () => {
  const text = (await read(".env.example")).replaceAll(/^# (?=[A-Z_]+=)/gm, "");
  const { BACKUP_EVERY, ...postgres } = parseEnv(text) as Record<string, string>;
  // Each engine refuses settings of the other.
  const isCommon = ([name]: [string, string]) => name === "DATABASE_POOL" || !name.startsWith("DATABASE_");
  const embedded = { ...Object.fromEntries(Object.entries(postgres).filter(isCommon)), BACKUP_EVERY };
  const defaults = parseConfig({});
  for (const env of [parseConfig(postgres), parseConfig(embedded)]) {
    // Defaults are shown unchanged.
    for (const name of ["PORT", "HOST", "DATA_DIR", "DATABASE_POOL", "DEMO", "LOG_LEVEL"] as const)
      expect([name, env[name]]).toEqual([name, defaults[name]]);
  }
});

test("every path that docs/architecture.md names exists", async () => {
  const text = await read("docs/architecture.md");
  const paths = [...text.matchAll(/`((?:apps|packages)\/[\w./-]+)`/g)].map(([, path = ""]) => path);
  expect(paths.length).toBeGreaterThan(20);
  for (const path of paths) await access(toRepositoryPath(path));
});

test("every file that a script of package.json runs exists", async () => {
  const { scripts } = JSON.parse(await read("package.json"));
  const files = Object.values<string>(scripts).flatMap(
    (script) => script.match(/[\w./-]+\.(?:ts|js|mjs|cjs)\b/g) ?? [],
  );
  expect(files.length).toBeGreaterThan(Object.keys(scripts).length / 2);
  for (const file of files) await access(toRepositoryPath(file));
});

test("the README's two commands are scripts of the project", async () => {
  const [readme, { scripts }] = await Promise.all([read("README.md"), read("package.json").then(JSON.parse)]);
  for (const script of ["start", "test"]) {
    expect(readme).toContain(`\n\`\`\`sh\nnpx -y pnpm@10 ${script}\n`);
    expect(scripts[script]).toBeTypeOf("string");
  }
});

test("the pipeline runs .ci/run on every version of Node.js that is promised", async () => {
  const pipeline = await read(".github/workflows/ci.yml");
  expect(pipeline).toContain("- run: .ci/run");
  const { engines } = JSON.parse(await read("package.json"));
  const oldest = Number(/\d+/.exec(engines.node)?.[0]);
  const versions = /node: \[(.*)\]/.exec(pipeline)?.[1]?.split(", ").map(Number) ?? [];
  expect(Math.min(...versions)).toBe(oldest);
  expect(versions).toContain(Number(await read(".nvmrc")));
});

test("the pooler of compose.replicas.yaml has every setting that docs/scaling.md asks for", async () => {
  const [, shown = ""] =
    /`pgbouncer\.ini` needs:\n\n```ini\n(.*?)```/s.exec(await read("docs/scaling.md")) ?? [];
  const toLines = (text: string) => text.split("\n").map((line) => line.trim().replace(/host=\w+/, "host="));
  const wanted = toLines(shown).filter(Boolean);
  expect(wanted.length).toBeGreaterThan(3);
  const settings = toLines(await read("deploy/pooler/pgbouncer.ini"));
  expect(settings).toEqual(expect.arrayContaining(wanted));
});

test("the examples with a load balancer keep serving until its checks have failed", async () => {
  const balancer = await read("deploy/balancer/haproxy.cfg");
  const [, interval, failures] = /check inter (\d+)s fall (\d+)/.exec(balancer) ?? [];
  const replicas = await read("compose.replicas.yaml");
  const kubernetes = await read("deploy/kubernetes/minutes.yaml");
  const probe = kubernetes.slice(kubernetes.indexOf("readinessProbe"));
  const readNumber = (text: string, pattern: RegExp) => Number(pattern.exec(text)?.[1]);
  const examples = [
    {
      delay: readNumber(replicas, /STOP_DELAY: "(\d+)"/),
      // One more interval: the first check may have come just before the signal.
      noticed: Number(interval) * (Number(failures) + 1),
      patience: readNumber(replicas, /stop_grace_period: (\d+)s # STOP_DELAY/),
    },
    {
      delay: readNumber(kubernetes, /name: STOP_DELAY, value: "(\d+)"/),
      noticed: readNumber(probe, /periodSeconds: (\d+)/) * (readNumber(probe, /failureThreshold: (\d+)/) + 1),
      patience: readNumber(kubernetes, /terminationGracePeriodSeconds: (\d+)/),
    },
  ];
  for (const { delay, noticed, patience } of examples) {
    expect(delay).toBeGreaterThanOrEqual(noticed);
    // Decision 0012: 40 seconds to stop.
    expect(patience).toBeGreaterThanOrEqual(delay + 40);
  }
});
