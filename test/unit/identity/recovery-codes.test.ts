import { expect, it } from 'vitest';
import { newRecoveryCodes, recoveryHash } from '../../../shared/identity/second-factor/recovery-codes.ts';

it.each([
  ['hyphens', '-'],
  ['en dashes', '\u2013'],
  ['no-break hyphens', '\u2011'],
  ['minus signs', '\u2212'],
  ['blanks', ' '],
  ['nothing', ''],
])('a recovery code may be typed with %s', (_, separator) => {
  const [code = ''] = newRecoveryCodes();
  expect(recoveryHash(code.replaceAll('-', separator).toLowerCase())).toBe(recoveryHash(code));
  expect(recoveryHash(code.replaceAll('-', '_'))).not.toBe(recoveryHash(code));
});
