import { Buffer } from 'node:buffer';
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { createTurnstile } from '../kernel/turnstile.ts';

export type Hasher = {
  /** @throws AppError `overloaded` when too many are waiting */
  hash(password: string): Promise<string>;
  /** Takes as long for `null` (nobody of that name) as for a stored hash. @throws AppError `overloaded` */
  verify(password: string, stored: string | null): Promise<boolean>;
  /** True when the stored hash was made with other parameters than these. */
  isOutdated(stored: string): boolean;
};

export type HasherOptions = { cost?: number; concurrency?: number; maxWaiting?: number };

type Parameters = { N: number; r: number; p: number };
type Stored = Parameters & { salt: Buffer; key: Buffer };

const keyLength = 32;

/**
 * scrypt (RFC 7914) with N=2^14, r=8, p=5, which Cloudflare's limit N·r·p ≤ 1,048,576 still admits. Hashing is bounded
 * in concurrency, so that a flood of logins leaves the processor to the others.
 */
export function createHasher({
  cost = 2 ** 14,
  concurrency = 1,
  maxWaiting = 16,
}: HasherOptions = {}): Hasher {
  const parameters: Parameters = { N: cost, r: 8, p: 5 };
  const turn = createTurnstile(concurrency, maxWaiting);
  const nobody: Stored = { ...parameters, salt: randomBytes(16), key: randomBytes(keyLength) };
  return {
    hash: (password) =>
      turn(async () => {
        const salt = randomBytes(16);
        return format({ ...parameters, salt, key: await derive(password, salt, parameters) });
      }),
    verify: (password, stored) =>
      turn(async () => {
        const expected = (stored === null ? undefined : parse(stored)) ?? nobody;
        const key = await derive(password, expected.salt, expected);
        return timingSafeEqual(key, expected.key);
      }),
    isOutdated: (stored) => {
      const known = parse(stored);
      return (
        known === undefined ||
        known.N !== parameters.N ||
        known.r !== parameters.r ||
        known.p !== parameters.p
      );
    },
  };
}

function derive(password: string, salt: Buffer, { N, r, p }: Parameters): Promise<Buffer> {
  const options: ScryptOptions = { N, r, p, maxmem: 256 * N * r };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, keyLength, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

const format = ({ N, r, p, salt, key }: Stored): string =>
  ['scrypt', N, r, p, salt.toString('base64url'), key.toString('base64url')].join('$');

function parse(stored: string): Stored | undefined {
  const [kind, N, r, p, salt = '', key = ''] = stored.split('$');
  if (kind !== 'scrypt') return undefined;
  return {
    N: Number(N),
    r: Number(r),
    p: Number(p),
    salt: Buffer.from(salt, 'base64url'),
    key: Buffer.from(key, 'base64url'),
  };
}
