import { compactVerify, createLocalJWKSet } from 'jose';
import type { Db } from '../../db/client.ts';
import {
  addCheckpoint,
  type ChainLink,
  type Checkpoint,
  findAnchors,
  findHead,
  type SignedLink,
} from '../../db/repositories/audit/checkpoints.ts';
import type { SigningKeys } from '../access/signing-keys.ts';

/** A stored checkpoint does not match its signature, so no further checkpoint may be based on it. */
export class BrokenCheckpoint extends Error {
  readonly seq: number;

  constructor(seq: number) {
    super(`the checkpoint of the audit at ${seq} is not as it was signed`);
    this.name = 'BrokenCheckpoint';
    this.seq = seq;
  }
}

export type Signing = { db: Db; keys: SigningKeys; now: Date };

/** Number of events, and time in milliseconds, after which the next checkpoint is due. */
const rowsBetween = 10_000;
const msBetween = 3_600_000;

export const kidsOf = ({ jwks }: SigningKeys): string[] => jwks.keys.map(({ kid }) => String(kid));

/**
 * Writes a signed checkpoint when one is due: 10,000 events after the last one, one hour after the last one if further
 * events were sealed, and immediately after a change of the key.
 * @param slack events that can be sealed before the next call
 * @throws BrokenCheckpoint
 */
export async function keepCheckpoints(signing: Signing, slack: number): Promise<void> {
  const { head, latest, base } = await readSealed(signing);
  if (head.seq === 0 || !isDue(head, latest, signing, slack)) return;
  await sign(signing, head, base);
}

/**
 * Signs that the events up to `base` were deleted after their retention time.
 * @throws BrokenCheckpoint
 */
export async function signBase(signing: Signing, base: ChainLink): Promise<void> {
  await sign(signing, await findHead(signing.db), base);
}

/**
 * Reads the end of the audit log, its last checkpoint, and the last deleted event (`seq` 0 if no event was deleted).
 * @throws BrokenCheckpoint
 */
export async function readSealed({
  db,
  keys,
}: Signing): Promise<{ head: ChainLink; latest: Checkpoint | undefined; base: ChainLink }> {
  const head = await findHead(db);
  const { latest, base } = await findAnchors(db, kidsOf(keys));
  // A new checkpoint must not be based on a row that was written without the key.
  for (const row of [latest, base])
    if (row && !(await isAsSigned(row, keys))) throw new BrokenCheckpoint(row.seq);
  return { head, latest, base: { seq: base?.base_seq ?? 0, hash: base?.base_hash ?? '0'.repeat(64) } };
}

/** True if a key of this installation has signed this row as a checkpoint. */
export async function isAsSigned(row: SignedLink, { jwks }: SigningKeys): Promise<boolean> {
  const verified = await compactVerify(row.jws, createLocalJWKSet(jwks)).catch(() => undefined);
  if (verified?.protectedHeader.typ !== type) return false;
  const signed: unknown = JSON.parse(new TextDecoder().decode(verified.payload));
  return (
    typeof signed === 'object' &&
    signed !== null &&
    Object.entries(wordsOf(row)).every(([name, value]) => Reflect.get(signed, name) === value)
  );
}

/**
 * The JWS type of checkpoints. It ensures that a token is not accepted as a checkpoint, nor a checkpoint as a token.
 */
const type = 'audit-checkpoint+json';

const wordsOf = ({ seq, hash, base_seq, base_hash }: Omit<SignedLink, 'jws'>) => ({
  seq,
  hash,
  base_seq,
  base_hash,
});

function isDue(
  head: ChainLink,
  latest: Checkpoint | undefined,
  { keys, now }: Signing,
  slack: number,
): boolean {
  if (latest?.kid !== keys.kid) return true;
  const ageMs = now.getTime() - latest.at.getTime();
  return head.seq - latest.seq > rowsBetween - slack || (head.seq > latest.seq && ageMs >= msBetween);
}

async function sign({ db, keys, now }: Signing, head: ChainLink, base: ChainLink): Promise<void> {
  const words = wordsOf({ ...head, base_seq: base.seq, base_hash: base.hash });
  const jws = await keys.signText(type, JSON.stringify({ ...words, at: now.toISOString() }));
  await addCheckpoint(db, { ...words, at: now, kid: keys.kid, jws });
}
