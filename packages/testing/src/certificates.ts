import "reflect-metadata"; // Required by @peculiar/x509.

import { webcrypto } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  BasicConstraintsExtension,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";

/** A certificate with its key, in PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** A certificate authority trusted only by the tests. */
export interface TestCa {
  /** The authority's own certificate, in PEM. */
  readonly ca: string;
  /** Path of a file with the same certificate, for settings that take a file. */
  readonly caFile: string;
  /** Issues a certificate for DNS names and IP addresses; for the loopback address by default. */
  issue(options?: { names?: readonly Name[]; expired?: boolean }): Promise<Certificate>;
  /** Creates a self-signed certificate. */
  selfSigned(): Promise<Certificate>;
  remove(): Promise<void>;
}

/** `DNS:localhost` or `IP:127.0.0.1` */
type Name = `DNS:${string}` | `IP:${string}`;

const LOOPBACK: readonly Name[] = ["DNS:localhost", "IP:127.0.0.1"];
const KEY = { name: "ECDSA", namedCurve: "P-256" } as const;
const SIGNATURE = { name: "ECDSA", hash: "SHA-256" } as const;
const VALID = { notBefore: new Date("2020-01-01"), notAfter: new Date("2040-01-01") };
const EXPIRED = { notBefore: new Date("2020-01-01"), notAfter: new Date("2020-01-02") };

const generateKeys = () => webcrypto.subtle.generateKey(KEY, true, ["sign", "verify"]);

/** Exports a certificate and its private key as PEM. */
async function toPem(
  certificate: X509Certificate,
  { privateKey }: webcrypto.CryptoKeyPair,
): Promise<Certificate> {
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", privateKey)).toString("base64");
  const key = `-----BEGIN PRIVATE KEY-----\n${pkcs8.match(/.{1,64}/g)?.join("\n")}\n-----END PRIVATE KEY-----\n`;
  return { cert: `${certificate.toString("pem")}\n`, key };
}

const toAlternativeNames = (names: readonly Name[]) =>
  new SubjectAlternativeNameExtension(
    names.map((name) => {
      const [type, value] = name.split(/:(.*)/s);
      return { type: type === "IP" ? "ip" : "dns", value: value ?? "" };
    }),
  );

/** Creates an authority, with its certificate in a separate directory. */
export async function createTestCa(): Promise<TestCa> {
  const directory = await mkdtemp(join(tmpdir(), "minutes-ca-"));
  const caFile = join(directory, "ca.pem");
  const caKeys = await generateKeys();
  const authority = await X509CertificateGenerator.createSelfSigned({
    ...{ name: "CN=Test CA", keys: caKeys, signingAlgorithm: SIGNATURE, ...VALID },
    extensions: [new BasicConstraintsExtension(true, undefined, true)],
  });
  const { cert: ca } = await toPem(authority, caKeys);
  await writeFile(caFile, ca);
  return {
    ca,
    caFile,
    issue: async ({ names = LOOPBACK, expired = false } = {}) => {
      const keys = await generateKeys();
      const certificate = await X509CertificateGenerator.create({
        ...{ subject: "CN=Test server", issuer: authority.subject, ...(expired ? EXPIRED : VALID) },
        ...{ publicKey: keys.publicKey, signingKey: caKeys.privateKey, signingAlgorithm: SIGNATURE },
        extensions: [toAlternativeNames(names)],
      });
      return toPem(certificate, keys);
    },
    selfSigned: async () => {
      const keys = await generateKeys();
      const certificate = await X509CertificateGenerator.createSelfSigned({
        ...{ name: "CN=localhost", keys, signingAlgorithm: SIGNATURE, ...VALID },
        extensions: [toAlternativeNames(LOOPBACK)],
      });
      return toPem(certificate, keys);
    },
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}
