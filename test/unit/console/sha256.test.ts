import { createHash, randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createSha256 } from '../../../functions/console/app/journal/exports/sha256.ts';

const expected = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

it('has the digest of the whole, whatever the lengths of the parts are', () => {
  for (let length = 0; length <= 200; length += 1) {
    const bytes = randomBytes(length);
    const hash = createSha256();
    for (let at = 0; at < length; at += 1 + (length % 70))
      hash.add(bytes.subarray(at, at + 1 + (length % 70)));
    expect([length, hash.digest()]).toEqual([length, expected(bytes)]);
  }
});

it('has the digest of a large file', () => {
  const bytes = randomBytes(3_000_001);
  const hash = createSha256();
  for (let at = 0; at < bytes.length; at += 65_536) hash.add(bytes.subarray(at, at + 65_536));
  expect(hash.digest()).toBe(expected(bytes));
});
