import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { type HashCaller, HashQueue } from "./hash-queue.js";

/** Cost parameters: 2^`ln` blocks of size `r`, `p` times. */
interface Parameters {
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

/** 32 MB and some 200 ms: OWASP's Password Storage Cheat Sheet recommends this for the memory. */
const DEFAULT: Parameters = { ln: 15, r: 8, p: 3 };
/** Parameters of new hashes. */
let current = DEFAULT;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Maximum concurrent hashes, so that a flood of sign-ins exhausts neither memory nor threads. */
const AT_ONCE = 2;
/** Maximum waiting hashes, about as many as can be computed within a call's deadline. */
const WAITING = 40;

export interface PasswordCheck {
  readonly valid: boolean;
  /** True if the stored hash is weaker than new ones: hash the password again. */
  readonly outdated: boolean;
}

/** Makes new hashes use 2^`ln` blocks. Null restores the default. Only for tests, most of which check no hash. */
export function setPasswordCost(ln: number | null): void {
  current = ln === null ? DEFAULT : { ...DEFAULT, ln };
}

/** Hashes a password with a random salt. @throws ApiError 503 if too many hashes wait */
export async function hashPassword(password: string, caller: HashCaller): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const parameters = current;
  return format(parameters, salt, await derive(password, salt, parameters, caller));
}

/**
 * Checks a password against a stored hash. Takes as long for null, an account without a password.
 * @throws TypeError if the stored text is not a hash; ApiError 503 if too many hashes wait
 */
export async function checkPassword(
  stored: string | null,
  password: string,
  caller: HashCaller,
): Promise<PasswordCheck> {
  const { parameters, salt, hash } = parse(stored ?? createUnmatchable());
  const derived = await derive(password, salt, parameters, caller);
  const equal = timingSafeEqual(derived, hash);
  const outdated = (["ln", "r", "p"] as const).some((name) => parameters[name] < current[name]);
  return { valid: stored !== null && equal, outdated };
}

const format = ({ ln, r, p }: Parameters, salt: Uint8Array, hash: Uint8Array): string =>
  `$scrypt$ln=${ln},r=${r},p=${p}$${Buffer.from(salt).toString("base64url")}$${Buffer.from(hash).toString("base64url")}`;

function parse(text: string) {
  const [, ln, r, p, salt, hash] =
    /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([\w-]+)\$([\w-]+)$/.exec(text) ?? [];
  if (!ln || !r || !p || !salt || !hash) throw new TypeError("Not a password hash.");
  return {
    parameters: { ln: Number(ln), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, "base64url"),
    hash: Buffer.from(hash, "base64url"),
  };
}

/** Returns a hash that no password matches. */
const createUnmatchable = () => format(current, Buffer.alloc(SALT_BYTES), Buffer.alloc(HASH_BYTES));

const queue = new HashQueue(AT_ONCE, WAITING);

const derive = (
  password: string,
  salt: Uint8Array,
  { ln, r, p }: Parameters,
  caller: HashCaller,
): Promise<Buffer> =>
  queue.run(
    caller,
    () =>
      new Promise((resolve, reject) => {
        const N = 2 ** ln;
        // Node.js refuses more than 32 MiB by default, including overhead.
        scrypt(
          password.normalize("NFC"),
          salt,
          HASH_BYTES,
          { N, r, p, maxmem: 256 * N * r },
          (error, key) => {
            if (error) reject(error);
            else resolve(key);
          },
        );
      }),
  );
