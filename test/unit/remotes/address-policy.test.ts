import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  checkUrl,
  isAddressAllowed,
  parseNetworks,
  type UrlPolicy,
} from '../../../shared/remotes/http/address-policy.ts';

const closed: UrlPolicy = { allowedNetworks: [], allowInsecure: false };
const policy = (...allowedNetworks: string[]): UrlPolicy => ({ ...closed, allowedNetworks });
const detailOf = (url: string, given = closed): string | undefined => {
  const result = checkUrl(url, 'node', given);
  return result.ok ? undefined : result.detail;
};

describe('the format of a destination', () => {
  test.each([
    'http://node.example',
    'file:///etc/passwd',
    'gopher://node.example',
    'data:text/plain,x',
    'ftp://node.example',
    'ldaps://node.example',
    'https:node.example',
    'https:/node.example',
    'https:\\\\node.example',
    'https://',
    'node.example',
    '',
    'https://user@node.example',
    'https://user:secret@node.example',
    'https://@node.example',
    'https://node.example#',
    'https://node.example/#part',
    'https://node.example?',
    'https://node.example/?a=b',
    ' https://node.example',
    'https://node.exa\nmple',
    'https://256.1.1.1',
    'https://node.example:99999',
    'https://node.example:0',
    'https://node.example:000/',
  ])('rejects %j', (url) => {
    expect(detailOf(url)).toEqual(expect.any(String));
  });

  test.each([
    'https://node.example',
    'https://node.example:8443',
    'HTTPS://Node.Example/base/',
    'https://8.8.8.8',
  ])('accepts %j', (url) => {
    expect(checkUrl(url, 'node', closed).ok).toBe(true);
  });

  test('plain HTTP stays rejected where unverified dispatchers are allowed', () => {
    const insecure = { ...closed, allowInsecure: true };
    expect(checkUrl('http://node.example', 'node', insecure).ok).toBe(false);
  });
});

describe('the address of a destination', () => {
  const refused = [
    'localhost',
    'LOCALHOST',
    'localhost.',
    'node.localhost',
    'node.localhost.',
    '127.0.0.1',
    '127.0.0.1.',
    '127.1',
    '0x7f.1',
    '0177.0.0.1',
    '2130706433',
    '0x7f000001',
    '%31%32%37.0.0.1',
    '１２７.0.0.1',
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '[::]',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::127.0.0.1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::ffff:169.254.169.254]',
    '[::ffff:0:127.0.0.1]',
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b:1::10.0.0.1]',
    '[2002:7f00:1::]',
    '[2001::1]',
    '[2001:db8::1]',
    '[3fff::1]',
    '[100::1]',
    '[fc00::1]',
    '[fd00:ec2::254]',
    '[fe80::1]',
    '[fec0::1]',
    '[ff02::1]',
    '[4000::1]',
  ];

  test.each(refused)('rejects %s and names the variable that could allow it', (host) => {
    expect(detailOf(`https://${host}:8443`)).toContain('ALLOWED_PRIVATE_NETWORKS');
  });

  test.each([
    '8.8.8.8',
    '1.1.1.1',
    '172.32.0.1',
    '[2606:4700::1111]',
    '[::ffff:8.8.8.8]',
    'localhost.example',
  ])('accepts %s', (host) => {
    expect(detailOf(`https://${host}`)).toBeUndefined();
  });

  test.each([
    ['10.1.2.3', '10.0.0.0/8', true],
    ['10.1.2.3', '10.2.0.0/16', false],
    ['10.1.2.3', '10.1.2.3', true],
    ['10.1.2.4', '10.1.2.3', false],
    ['[::ffff:10.1.2.3]', '10.0.0.0/8', true],
    ['[fd00::5]', 'fd00::/8', true],
    ['[fd00::5]', '10.0.0.0/8', false],
    ['10.1.2.3', 'fd00::/8', false],
    ['[64:ff9b::a01:203]', '10.0.0.0/8', false],
    ['localhost', '127.0.0.0/8', true],
    ['localhost.', '::1', true],
    ['node.localhost', '::1/128', true],
    ['localhost', '10.0.0.0/8', false],
    ['127.0.0.1', '0.0.0.0/0', true],
  ])('%s with %s allowed: %s', (host, network, allowed) => {
    expect(checkUrl(`https://${host}`, 'node', policy(network)).ok).toBe(allowed);
  });

  test('no private IPv4 address is accepted in any spelling', () => {
    fc.assert(
      fc.property(privateAddress, fc.constantFrom(...spellings), (octets, spell) => {
        expect(detailOf(`https://${spell(octets)}`)).toContain('ALLOWED_PRIVATE_NETWORKS');
      }),
      { numRuns: 2000 },
    );
  });

  test('an address is treated alike as a URL and as a DNS result', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.ipV4(),
          fc.ipV6().map((ip) => `[${ip}]`),
        ),
        (host) => {
          const literal = host.replace(/^\[|\]$/g, '');
          expect(checkUrl(`https://${host}`, 'node', closed).ok).toBe(isAddressAllowed(literal, []));
        },
      ),
      { numRuns: 2000 },
    );
  });

  test.each([
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.1/8',
    'fd00::/129',
    'intranet',
    '',
  ])('the network %j is rejected by name', (entry) => {
    expect(() => parseNetworks(['10.0.0.0/8', entry])).toThrow(`"${entry}"`);
  });
});

type Octets = readonly [number, number, number, number];

const octet = fc.integer({ min: 0, max: 255 });
const privateAddress: fc.Arbitrary<Octets> = fc.oneof(
  fc.tuple(fc.constantFrom(0, 10, 127), octet, octet, octet),
  fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), octet, octet),
  fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
  fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
  fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
  fc.tuple(fc.integer({ min: 224, max: 255 }), octet, octet, octet),
);

const whole = ([a, b, c, d]: Octets): number => ((a * 256 + b) * 256 + c) * 256 + d;
const hex = (value: number): string => value.toString(16);
const spellings: ((octets: Octets) => string)[] = [
  (o) => o.join('.'),
  (o) => `${o.join('.')}.`,
  (o) => String(whole(o)),
  (o) => `0x${hex(whole(o))}`,
  (o) => `0${whole(o).toString(8)}`,
  (o) => o.map((part) => `0x${hex(part)}`).join('.'),
  (o) => o.map((part) => `0${part.toString(8)}`).join('.'),
  ([a, b, c, d]) => `${a}.${b * 65_536 + c * 256 + d}`,
  ([a, b, c, d]) => `${a}.${b}.${c * 256 + d}`,
  (o) => o.join('.').replace(/\d/g, (digit) => `%3${digit}`),
  (o) => o.join('。'),
  (o) => `[::ffff:${o.join('.')}]`,
  (o) => `[::${o.join('.')}]`,
  (o) => `[64:ff9b::${o.join('.')}]`,
  ([a, b, c, d]) => `[2002:${hex(a * 256 + b)}:${hex(c * 256 + d)}::1]`,
];
