import type { Operation } from '../declare/operation.ts';

const kibibyte = 1_024;

type Declared = Pick<Operation<never>, 'access' | 'maxBodyBytes' | 'credential' | 'insteadOfSession'>;

/** Bytes that the body of an operation may have: a caller without a credential gets the least. */
export function bodyLimitOf(operation: Declared): number {
  const { access, maxBodyBytes, credential, insteadOfSession } = operation;
  if (maxBodyBytes !== undefined) return maxBodyBytes;
  if (credential) return 64 * kibibyte;
  return (access === 'public' || insteadOfSession !== undefined ? 16 : 256) * kibibyte;
}
