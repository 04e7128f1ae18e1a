import { generateSecret, generateURI, verifySync } from 'otplib';

/** A new secret: 160 bits as base32, the form in which it is typed into a device. */
export const newSecret = (): string => generateSecret();

/** What a device reads from a picture: who asks for codes, for which account, and by which secret. */
export const uriOf = (issuer: string, account: string, secret: string): string =>
  generateURI({ issuer: withoutColons(issuer), label: withoutColons(account), secret });

/**
 * The time step (RFC 6238: SHA-1, 6 digits, 30 s) that the code belongs to: the present one, or one beside it, as clocks
 * differ.
 * @param after the last step that was accepted; neither it nor an earlier one is again
 * @returns undefined for a wrong or spent code
 */
export function stepOf(secret: string, code: string, now: Date, after: number): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined;
  const epoch = Math.floor(now.getTime() / 1000);
  // The clock may have been put back since; what is later than any step in question spends them all.
  const afterTimeStep = Math.min(after, Math.floor(epoch / periodS) + 1);
  const result = verifySync({ secret, token: code, epoch, epochTolerance: periodS, afterTimeStep });
  return result.valid && 'timeStep' in result ? result.timeStep : undefined;
}

const periodS = 30;

/** The colon divides the two, and devices differ in whether an escaped one does. */
const withoutColons = (text: string): string => text.replaceAll(':', ' ');
