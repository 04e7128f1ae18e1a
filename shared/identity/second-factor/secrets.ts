import type { SealedField, Sealer } from '../../kernel/crypto/sealing.ts';

/** The secret of an open enrolment, stored in its challenge. */
export const sealPending = (sealer: Sealer, secret: string, challengeId: string): Promise<string> =>
  sealer.seal(secret, pending(challengeId));

export const openPending = (sealer: Sealer, sealed: string, challengeId: string): Promise<string> =>
  sealer.open(sealed, pending(challengeId));

/** The secret of a user's device. */
export const sealSecret = (sealer: Sealer, secret: string, userId: string): Promise<string> =>
  sealer.seal(secret, owned(userId));

export const openSecret = (sealer: Sealer, sealed: string, userId: string): Promise<string> =>
  sealer.open(sealed, owned(userId));

const pending = (id: string): SealedField => ({
  table: 'login_challenges',
  row: id,
  column: 'sealed_secret',
});
const owned = (id: string): SealedField => ({ table: 'second_factors', row: id, column: 'sealed_secret' });
