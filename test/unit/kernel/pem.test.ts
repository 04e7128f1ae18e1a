import { describe, expect, it } from 'vitest';
import { cleanCertificates } from '../../../shared/kernel/crypto/pem.ts';
import { createAuthority } from '../../simulator/authority.ts';

const authority = await createAuthority();
const ca = `${authority.caPem.trim()}\n`;
const { cert: leaf, key } = await authority.issue();
const [begin, end] = ['-----BEGIN CERTIFICATE-----', '-----END CERTIFICATE-----'];
const base64Of = (pem: string): string => pem.replace(/-----[^-]+-----|\s/g, '');
const pemOf = (base64: string): string => `${begin}\n${base64}\n${end}\n`;

describe('PEM certificates', () => {
  it('are normalised to one form, which is stable', () => {
    const clean = cleanCertificates(ca);
    expect(clean).toBe(ca);
    expect(cleanCertificates(`\r\n  ${pemOf(base64Of(ca))}\n\n`)).toBe(clean);
    expect(cleanCertificates(ca.replaceAll('\n', '\r\n'))).toBe(clean);
  });

  it('may be several, in their order', () => {
    expect(cleanCertificates(`${leaf}\n${ca}`)).toBe(`${leaf.trim()}\n${ca}`);
  });

  it.each([
    ['before one', `Bag Attributes\n    friendlyName: root\nsubject=CN\n${ca}`, ca],
    ['after one', `${ca}# the root`, ca],
    ['between two', `${ca}and\n${leaf}`, `${ca}${leaf.trim()}\n`],
  ])('may have text %s, which is removed', (_, text, clean) => {
    expect(cleanCertificates(text)).toBe(clean);
  });

  it.each([
    ['nothing', ''],
    ['blanks', ' \n '],
    ['text', 'no certificate'],
    ['one with trust settings', ca.replaceAll(' CERTIFICATE', ' TRUSTED CERTIFICATE')],
    ['a comment inside', ca.replace('\n', '\nComment: x\n')],
    ['no base64', ca.replace('MII', 'MI*')],
    ['base64 cut short', pemOf(base64Of(ca).slice(0, -1))],
    ['a certificate cut short', pemOf(base64Of(ca).slice(0, -8))],
    ['bytes after the certificate', pemOf(Buffer.concat([derOf(ca), Buffer.alloc(3)]).toString('base64'))],
    ['bytes that are no certificate', pemOf(Buffer.from('not a certificate').toString('base64'))],
    ['an empty block', pemOf('')],
    ['a key', key],
    ['a key beside one', `${ca}${key}`],
    ['a block without an end', ca.replace(end, '')],
  ])('are not %s', (_, text) => {
    expect(cleanCertificates(text)).toBeUndefined();
  });

  it('are parsed in a time limited by their length', () => {
    const start = performance.now();
    expect(cleanCertificates(`${begin}${' '.repeat(60_000)}`)).toBeUndefined();
    expect(cleanCertificates(`${' '.repeat(60_000)}x`)).toBeUndefined();
    expect(performance.now() - start).toBeLessThan(1_000);
  });
});

function derOf(pem: string): Buffer {
  return Buffer.from(base64Of(pem), 'base64');
}
