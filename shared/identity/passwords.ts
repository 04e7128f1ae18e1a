import { Buffer } from 'node:buffer';
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { createFairQueue, type QueuePosition } from '../kernel/concurrency/fair-queue.ts';

/**
 * Queue position of a hash: a caller with a session, a login from a known network of the account, or another login. The
 * owner within the line is a user or a network.
 */
export type Place = QueuePosition<keyof typeof shares>;

export type Hasher = {
  /**
   * Default place: that of callers with a session.
   * @throws AppError `overloaded` if the line is full
   */
  hash(password: string, place?: Place): Promise<string>;
  /**
   * Takes the same time for `null` (unknown user) as for a stored hash.
   * @throws AppError `overloaded`
   */
  verify(password: string, stored: string | null, place?: Place): Promise<boolean>;
  /** True if the stored hash has other parameters than the current ones. */
  isOutdated(stored: string): boolean;
};

export type HasherOptions = { cost?: number; concurrency?: number; maxWaiting?: number };

type Parameters = { N: number; r: number; p: number };
type PasswordHash = Parameters & { salt: Buffer; key: Buffer };

const keyLength = 32;

/** Shares of the slots. Under load, known users receive four of five slots, even during a flood of unknown logins. */
const shares = { 'signed-in': 2, known: 2, unknown: 1 };
const signedIn: Place = { line: 'signed-in', owner: '' };

/**
 * scrypt (RFC 7914) with N=2^14, r=8, p=5, within Cloudflare's limit N·r·p ≤ 1,048,576. The concurrency is limited, so
 * that a flood of logins does not occupy the processor.
 * @param options `maxWaiting`: maximum queued hashes in each line
 */
export function createHasher({
  cost = 2 ** 14,
  concurrency = 1,
  maxWaiting = 16,
}: HasherOptions = {}): Hasher {
  const parameters: Parameters = { N: cost, r: 8, p: 5 };
  const turn = createFairQueue(concurrency, maxWaiting, shares);
  const dummyHash: PasswordHash = { ...parameters, salt: randomBytes(16), key: randomBytes(keyLength) };
  return {
    hash: (password, place = signedIn) =>
      turn(place, async () => {
        const salt = randomBytes(16);
        return format({ ...parameters, salt, key: await derive(password, salt, parameters) });
      }),
    verify: (password, stored, place = signedIn) =>
      turn(place, async () => {
        const expected = (stored === null ? undefined : parse(stored)) ?? dummyHash;
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

const format = ({ N, r, p, salt, key }: PasswordHash): string =>
  ['scrypt', N, r, p, salt.toString('base64url'), key.toString('base64url')].join('$');

function parse(stored: string): PasswordHash | undefined {
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
