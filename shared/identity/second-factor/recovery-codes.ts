import { randomBytes } from 'node:crypto';
import { sha256 } from '../../kernel/crypto/digests.ts';

/** Ten codes of 80 random bits, `XXXX-XXXX-XXXX-XXXX`: enough that their bare hash tells nothing. */
export const newRecoveryCodes = (): string[] => Array.from({ length: 10 }, newRecoveryCode);

/** The hash under which a code is kept, however its owner spaces it. */
export const recoveryHash = (code: string): string => sha256(code.replace(/[\s-]/g, '').toUpperCase());

/** None that is taken for another one when it is read from paper. */
const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

const newRecoveryCode = (): string => {
  const text = [...randomBytes(16)].map((byte) => letters[byte % letters.length]).join('');
  return text.replace(/(.{4})(?=.)/g, '$1-');
};
