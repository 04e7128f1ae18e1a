import type { Db } from '../../db/client.ts';
import { type ChainRange, type Verification, verifyAudit } from '../../db/repositories/audit/chain.ts';
import type { SigningKeys } from '../access/signing-keys.ts';
import { isAsSigned, kidsOf } from './checkpoints.ts';

/**
 * Verifies a range of the audit log by its hashes and by its signed checkpoints. A checkpoint with an invalid signature
 * breaks the range at its event, because the events before it cannot be verified.
 */
export async function verifyChain(
  db: Db,
  keys: SigningKeys,
  stretch: ChainRange,
): Promise<Omit<Verification, 'leaning'>> {
  const { leaning, ...verdict } = await verifyAudit(db, stretch, kidsOf(keys));
  const signed = await Promise.all(leaning.map((row) => isAsSigned(row, keys)));
  const forged = leaning.filter((_, at) => !signed[at]).map(({ seq }) => seq);
  const broken = [...forged, ...(verdict.broken === null ? [] : [verdict.broken])];
  return { ...verdict, broken: broken.length > 0 ? Math.min(...broken) : null };
}
