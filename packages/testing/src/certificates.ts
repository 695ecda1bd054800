import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A certificate with its key, in PEM form. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** A certificate authority that nobody outside the test trusts. */
export interface TestCa {
  /** Its own certificate, in PEM form. */
  readonly ca: string;
  /** The same as a file, for settings that name one. */
  readonly caFile: string;
  /** A certificate for these names and addresses. */
  issue(options?: { names?: readonly string[]; expired?: boolean }): Promise<Certificate>;
  /** A certificate that only vouches for itself. */
  selfSigned(): Promise<Certificate>;
  remove(): Promise<void>;
}

const NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
const LOOPBACK = ["DNS:localhost", "IP:127.0.0.1"];

/** Makes an authority with the `openssl` command, in a folder of its own. */
export async function testCa(): Promise<TestCa> {
  const directory = await mkdtemp(join(tmpdir(), "minutes-ca-"));
  const file = (name: string) => join(directory, name);
  const openssl = (...args: string[]) => run("openssl", args, { cwd: directory });
  const pair = async (name: string): Promise<Certificate> => ({
    cert: await readFile(file(`${name}.pem`), "utf8"),
    key: await readFile(file(`${name}.key`), "utf8"),
  });
  await openssl(
    ...["req", "-x509", ...NEW_KEY, "-subj", "/CN=Test CA", "-days", "2"],
    ...["-keyout", "ca.key", "-out", "ca.pem"],
  );
  await writeFile(file("index"), "");
  await writeFile(
    file("ca.cnf"),
    `[ca]\ndefault_ca=test\n[test]\ndatabase=index\nnew_certs_dir=.\ncertificate=ca.pem\nprivate_key=ca.key\n` +
      "default_md=sha256\npolicy=any\nrand_serial=yes\ncopy_extensions=copy\nunique_subject=no\n[any]\ncommonName=supplied\n",
  );
  let issued = 0;
  return {
    ca: (await pair("ca")).cert,
    caFile: file("ca.pem"),
    issue: async ({ names = LOOPBACK, expired = false } = {}) => {
      const name = `server${++issued}`;
      await openssl(
        ...["req", ...NEW_KEY, "-subj", `/CN=${name}`, "-addext", `subjectAltName=${names.join(",")}`],
        ...["-keyout", `${name}.key`, "-out", `${name}.csr`],
      );
      const dates = expired ? ["200101000000Z", "200102000000Z"] : ["200101000000Z", "400101000000Z"];
      await openssl(
        ...["ca", "-batch", "-notext", "-config", "ca.cnf", "-in", `${name}.csr`, "-out", `${name}.pem`],
        ...["-startdate", dates[0] ?? "", "-enddate", dates[1] ?? ""],
      );
      return pair(name);
    },
    selfSigned: async () => {
      const name = `self${++issued}`;
      await openssl(
        ...["req", "-x509", ...NEW_KEY, "-subj", "/CN=localhost", "-addext"],
        ...[
          `subjectAltName=${LOOPBACK.join(",")}`,
          "-days",
          "2",
          "-keyout",
          `${name}.key`,
          "-out",
          `${name}.pem`,
        ],
      );
      return pair(name);
    },
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}
