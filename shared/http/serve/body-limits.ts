import type { Operation } from '../declare/operation.ts';

const kibibyte = 1_024;

type Declared = Pick<Operation<never>, 'access' | 'maxBodyBytes' | 'credential'>;

/** Returns the size limit of the body in bytes. It is smallest for callers without a credential. */
export function bodyLimitOf(operation: Declared): number {
  const { access, maxBodyBytes, credential } = operation;
  if (maxBodyBytes !== undefined) return maxBodyBytes;
  if (credential && credential.in !== 'member') return 64 * kibibyte;
  return (access === 'public' || credential ? 16 : 256) * kibibyte;
}
