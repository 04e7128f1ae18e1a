import * as real from 'node:crypto';

// Everything else is that of the runtime.
export * from 'node:crypto';

const scryptCap = 1_048_576;
const pbkdf2Cap = 100_000;

/** The derivations since the isolate started: `scrypt 655360`, `pbkdf2 100000`. */
export const derivations: string[] = [];

export const scrypt = ((password, salt, length, options, done) => {
  admitScrypt(options);
  return real.scrypt(password, salt, length, options, done);
}) as ScryptWithOptions;

export const scryptSync: typeof real.scryptSync = (password, salt, length, options) => {
  admitScrypt(options);
  return real.scryptSync(password, salt, length, options);
};

export const pbkdf2: typeof real.pbkdf2 = (password, salt, iterations, length, digest, done) => {
  admitIterations(iterations);
  return real.pbkdf2(password, salt, iterations, length, digest, done);
};

export const pbkdf2Sync: typeof real.pbkdf2Sync = (password, salt, iterations, length, digest) => {
  admitIterations(iterations);
  return real.pbkdf2Sync(password, salt, iterations, length, digest);
};

/** @throws Error with the text of the platform when the cost is above its limit */
export function admitIterations(iterations: number): void {
  derivations.push(`pbkdf2 ${iterations}`);
  if (iterations > pbkdf2Cap)
    throw new Error(
      `Pbkdf2 failed: iteration counts above ${pbkdf2Cap} are not supported (requested ${iterations}).`,
    );
}

type ScryptWithOptions = (
  password: real.BinaryLike,
  salt: real.BinaryLike,
  length: number,
  options: real.ScryptOptions,
  done: (error: Error | null, key: Buffer) => void,
) => void;

function admitScrypt({ N, cost, r, blockSize, p, parallelization }: real.ScryptOptions = {}): void {
  const work = (N ?? cost ?? 16_384) * (r ?? blockSize ?? 8) * (p ?? parallelization ?? 1);
  derivations.push(`scrypt ${work}`);
  if (work > scryptCap) throw new Error(`Scrypt failed: cost ${work} is above ${scryptCap}`);
}
