import { expect, it } from 'vitest';
import { isReferenceViolation } from '../../../db/errors.ts';
import { withoutTrailingSlashes } from '../../../shared/kernel/text.ts';
import { clientOf } from '../../../shared/runtime/node/client-address.ts';

it('a client behind our proxy is not on this machine because the proxy is', () => {
  const peer = {
    address: '127.0.0.1',
    isEncrypted: false,
    forwardedFor: '203.0.113.5',
    forwardedProto: 'http',
  };
  expect(clientOf(peer, 1)).toEqual({ ip: '203.0.113.5', secure: false, loopback: false });
  expect(clientOf({ ...peer, forwardedProto: 'https' }, 1)).toMatchObject({ secure: true });
  expect(clientOf(peer, 0)).toMatchObject({ ip: '127.0.0.1', loopback: true });
});

it('both SQLSTATEs of a refused deletion are one to us', () => {
  expect(['23503', '23001', '23505'].map((code) => isReferenceViolation({ code }))).toEqual([
    true,
    true,
    false,
  ]);
});

it('trailing slashes are taken off, all but the first one of the root', () => {
  expect(['/a/', '/a//', '/', '//', '/a'].map(withoutTrailingSlashes)).toEqual(['/a', '/a', '/', '/', '/a']);
});
