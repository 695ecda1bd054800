import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";

/** Cost of a hash: 2^`ln` blocks of `r`, `p` times over. */
interface Parameters {
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

/** Takes 32 MB and some 200 ms: the choice of OWASP's Password Storage Cheat Sheet for this memory. */
const CURRENT: Parameters = { ln: 15, r: 8, p: 3 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Hashes at once, so that a flood of sign-ins takes neither all memory nor all of the process's threads. */
const AT_ONCE = 2;

export interface PasswordCheck {
  readonly valid: boolean;
  /** True when the stored hash is weaker than new ones: hash the password again. */
  readonly outdated: boolean;
}

/** Hashes a password with a random salt. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  return format(CURRENT, salt, await derive(password, salt, CURRENT));
}

/**
 * Checks a password against a stored hash. Takes as long for null, an account without a password.
 * @throws TypeError when the stored text is not a hash.
 */
export async function checkPassword(stored: string | null, password: string): Promise<PasswordCheck> {
  const { parameters, salt, hash } = parse(stored ?? UNMATCHABLE);
  const derived = await derive(password, salt, parameters);
  const equal = timingSafeEqual(derived, hash);
  const outdated = (["ln", "r", "p"] as const).some((name) => parameters[name] < CURRENT[name]);
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

/** The hash of no password. */
const UNMATCHABLE = format(CURRENT, Buffer.alloc(SALT_BYTES), Buffer.alloc(HASH_BYTES));

let running = 0;
const waiting: (() => void)[] = [];

async function derive(password: string, salt: Uint8Array, { ln, r, p }: Parameters): Promise<Buffer> {
  if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else running++;
  try {
    const N = 2 ** ln;
    return await new Promise((resolve, reject) => {
      // Node.js refuses by default what needs more than 32 MiB, bookkeeping included.
      scrypt(password.normalize("NFC"), salt, HASH_BYTES, { N, r, p, maxmem: 256 * N * r }, (error, key) => {
        if (error) reject(error);
        else resolve(key);
      });
    });
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}
