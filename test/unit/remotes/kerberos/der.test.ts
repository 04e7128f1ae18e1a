import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DerError,
  integer,
  kerberosTime,
  oid,
  readAll,
  readInteger,
  readOne,
  readTime,
  tlv,
} from '../../../../shared/kernel/crypto/der.ts';
import { readReply } from '../../../../shared/remotes/kerberos/replies.ts';

const bytes = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

describe('DER', () => {
  it.each([0, 1, 127, 128, 255, 256, 65_535, 2 ** 31 - 1])('writes %i so that it reads the same', (value) => {
    expect(readInteger(readOne(integer(value)))).toBe(value);
  });

  it('writes lengths of one, two and three bytes', () => {
    for (const length of [0, 127, 128, 255, 256, 70_000]) {
      const { content, raw } = readOne(tlv(0x04, Buffer.alloc(length)));
      expect([content.length, raw.length >= length + 2]).toEqual([length, true]);
    }
  });

  it('reads object identifiers and times of other encoders', () => {
    expect(oid('1.2.840.113549.1.1.11')).toEqual(bytes('06 09 2a864886f70d01010b'));
    const at = new Date('2026-11-21T14:36:14Z');
    expect(kerberosTime(at).subarray(2).toString()).toBe('20261121143614Z');
    expect(readTime(readOne(kerberosTime(at)))).toEqual(at);
  });

  it.each([
    ['nothing', ''],
    ['a length without end', '30 80 00 00'],
    ['a length beyond the end', '04 05 00'],
    ['a length of 4 GB', '04 84 ffffffff'],
    ['a length of five bytes', '04 85 0000000001 00'],
    ['a tag of several bytes', '1f 81 01 00'],
    ['a second value', '02 01 00 02 01 00'],
  ])('rejects %s', (_, text) => {
    expect(() => readOne(bytes(text))).toThrow(DerError);
  });

  it('ends on any bytes with a value or its own error', () => {
    const read = (given: Uint8Array) => {
      try {
        readAll(given);
        readReply(Buffer.concat([Buffer.from([0x6b]), given]));
      } catch (error) {
        if (!(error instanceof DerError) && !(error instanceof TypeError)) throw error;
      }
    };
    fc.assert(fc.property(fc.uint8Array({ maxLength: 64 }), read));
  });
});
