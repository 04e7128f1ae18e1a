import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import { describe, expect, it } from 'vitest';
import { leadsToAnchor, parseCertificate } from '../../../../shared/remotes/kerberos/certificate-path.ts';

const algorithm = {
  name: 'RSASSA-PKCS1-v1_5',
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
};
const keys = await crypto.subtle.generateKey({ ...algorithm, hash: 'SHA-256' }, true, ['sign', 'verify']);
const now = new Date();
const day = 86_400_000;

type Order = {
  subject: string;
  issuer: string;
  ca?: boolean;
  pathLength?: number;
  hash?: string;
  extra?: x509.Extension[];
};
let serial = 16;

/** All with one key: the differences are in names and extensions. */
async function issue({ subject, issuer, ca = true, pathLength, hash = 'SHA-256', extra = [] }: Order) {
  const made = await x509.X509CertificateGenerator.create({
    serialNumber: (++serial).toString(16),
    subject: `CN=${subject}`,
    issuer: `CN=${issuer}`,
    notBefore: new Date(now.getTime() - day),
    notAfter: new Date(now.getTime() + day),
    publicKey: keys.publicKey,
    signingKey: await crypto.subtle.importKey(
      'pkcs8',
      await crypto.subtle.exportKey('pkcs8', keys.privateKey),
      { name: algorithm.name, hash },
      false,
      ['sign'],
    ),
    signingAlgorithm: { name: algorithm.name, hash },
    extensions: [new x509.BasicConstraintsExtension(ca, pathLength, true), ...extra],
  });
  return parseCertificate(new Uint8Array(made.rawData));
}

const anchor = await issue({ subject: 'root', issuer: 'root' });
const middle = (pathLength?: number) =>
  issue({ subject: 'middle', issuer: 'root', ...(pathLength !== undefined && { pathLength }) });
const below = await issue({ subject: 'below', issuer: 'middle' });
const leaf = (given: Partial<Order> = {}) => issue({ subject: 'leaf', issuer: 'root', ca: false, ...given });
const leads = async (end: Awaited<ReturnType<typeof issue>>, ...others: (typeof end)[]) =>
  leadsToAnchor(end, others, [anchor], now);

describe('a certificate path', () => {
  it('leads from a leaf to the anchor, also through intermediates', async () => {
    expect(await leads(await leaf())).toBe(true);
    expect(await leads(await leaf({ issuer: 'below' }), below, await middle(1))).toBe(true);
  });

  it.each([
    ['without the one in between', () => leaf({ issuer: 'below' }), () => [below]],
    [
      'of an authority that is none',
      () => leaf({ issuer: 'end' }),
      async () => [await leaf({ subject: 'end' })],
    ],
    [
      'longer than an authority allows',
      () => leaf({ issuer: 'below' }),
      async () => [below, await middle(0)],
    ],
    ['with an unknown critical extension', () => leaf({ extra: [unknown(true)] }), () => []],
    ['signed by SHA-1', () => leaf({ hash: 'SHA-1' }), () => []],
    ['to another authority', () => leaf({ issuer: 'nobody' }), () => []],
  ])('does not lead %s', async (_, end, others) => {
    expect(await leads(await end(), ...(await others()))).toBe(false);
  });

  it('may have unknown extensions that are not critical', async () => {
    expect(await leads(await leaf({ extra: [unknown(false)] }))).toBe(true);
  });

  it('is aborted at its time limit', async () => {
    const later = new Date(now.getTime() + 2 * day);
    expect(await leadsToAnchor(await leaf(), [], [anchor], later)).toBe(false);
  });

  it('ends for two certificates that issued each other', async () => {
    const [a, b] = [await issue({ subject: 'a', issuer: 'b' }), await issue({ subject: 'b', issuer: 'a' })];
    expect(await leads(await leaf({ issuer: 'a' }), a, b)).toBe(false);
  });
});

const unknown = (critical: boolean) =>
  new x509.Extension('1.3.6.1.4.1.99999.1', critical, new Uint8Array([5, 0]));
