import { randomBytes } from 'node:crypto';
import { sha256 } from '../../kernel/crypto/digests.ts';

/** Ten codes of 80 random bits, `XXXX-XXXX-XXXX-XXXX`. With 80 bits, an unsalted hash cannot be reversed by trial. */
export const newRecoveryCodes = (): string[] => Array.from({ length: 10 }, newRecoveryCode);

/** The stored hash of a code. Spaces and dashes of all kinds are ignored: programs for texts replace hyphens. */
export const recoveryHash = (code: string): string =>
  sha256(code.replace(/[\s\p{Dash}]/gu, '').toUpperCase());

/** Characters that are not confused with each other on paper. */
const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

const newRecoveryCode = (): string => {
  const text = [...randomBytes(16)].map((byte) => letters[byte % letters.length]).join('');
  return text.replace(/(.{4})(?=.)/g, '$1-');
};
