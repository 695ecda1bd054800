import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** Changes of an answer, to test its refusal. */
interface PasskeyFault {
  readonly origin?: string;
  /** The host name that the device signs for. */
  readonly siteId?: string;
  /** False for a device that did not verify its user. */
  readonly userVerified?: boolean;
  readonly counter?: number;
  readonly userHandle?: string;
}

/** A device that creates a passkey and signs in with it, with a browser's answers. */
export interface TestPasskey {
  readonly id: string;
  /** Answers `account.createPasskeyOptions`. */
  create(challenge: string, fault?: PasskeyFault): object;
  /** Answers `passkey.createChallenge`; each call increments the signature counter. */
  sign(challenge: string, fault?: PasskeyFault): object;
}

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_KEY = 0x40;

const sha256 = (text: string | Uint8Array): Buffer => createHash("sha256").update(text).digest();
const cborText = (text: string): Buffer => Buffer.from([0x60 + text.length, ...Buffer.from(text)]);
const cborBytes = (bytes: Uint8Array): Buffer =>
  bytes.length < 0x100
    ? Buffer.from([0x58, bytes.length, ...bytes])
    : Buffer.from([0x59, bytes.length >> 8, bytes.length & 0xff, ...bytes]);

/** Creates a device for one site, with an ES256 key. */
export function testPasskey(site: { readonly id: string; readonly origin: string }): TestPasskey {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const credentialId = randomBytes(32);
  const id = credentialId.toString("base64url");
  let counter = 0;

  const clientData = (type: string, challenge: string, { origin = site.origin }: PasskeyFault): Buffer =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));

  function authenticatorData(fault: PasskeyFault, key?: Buffer): Buffer {
    const { siteId = site.id, userVerified = true, counter: count = counter } = fault;
    const head = Buffer.alloc(37);
    sha256(siteId).copy(head);
    head[32] = USER_PRESENT | (userVerified ? USER_VERIFIED : 0) | (key ? HAS_KEY : 0);
    head.writeUInt32BE(count, 33);
    return key ? Buffer.concat([head, key]) : head;
  }

  /** AAGUID, the credential's id and its key in the COSE format: EC2, ES256, P-256. */
  const attestedKey = (): Buffer =>
    Buffer.concat([
      Buffer.alloc(16),
      Buffer.from([0, credentialId.length]),
      credentialId,
      Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
      cborBytes(Buffer.from(x, "base64url")),
      Buffer.from([0x22]),
      cborBytes(Buffer.from(y, "base64url")),
    ]);

  return {
    id,
    create: (challenge, fault = {}) => {
      const attestation = Buffer.concat([
        Buffer.from([0xa3]),
        cborText("fmt"),
        cborText("none"),
        cborText("attStmt"),
        Buffer.from([0xa0]),
        cborText("authData"),
        cborBytes(authenticatorData(fault, attestedKey())),
      ]);
      return {
        id,
        rawId: id,
        type: "public-key",
        response: {
          clientDataJSON: clientData("webauthn.create", challenge, fault).toString("base64url"),
          attestationObject: attestation.toString("base64url"),
        },
      };
    },
    sign: (challenge, fault = {}) => {
      counter++;
      const data = authenticatorData(fault);
      const client = clientData("webauthn.get", challenge, fault);
      const signature = sign("sha256", Buffer.concat([data, sha256(client)]), privateKey);
      return {
        id,
        rawId: id,
        type: "public-key",
        response: {
          clientDataJSON: client.toString("base64url"),
          authenticatorData: data.toString("base64url"),
          signature: signature.toString("base64url"),
          ...(fault.userHandle === undefined ? {} : { userHandle: fault.userHandle }),
        },
      };
    },
  };
}
