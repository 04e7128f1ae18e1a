import { describe, expect, it } from 'vitest';
import { directoryFault, parseDirectoryUrl, parseKdc } from '../../../shared/remotes/directory/address.ts';

const policy = (...allowedNetworks: string[]) => ({ allowedNetworks, allowInsecure: false });

describe('the address of a directory', () => {
  it.each([
    ['ldap://dc.example.com', 'ldap://dc.example.com'],
    ['LDAPS://DC.Example.com:3269/', 'ldaps://dc.example.com:3269'],
    ['ldap://127.1', 'ldap://127.0.0.1'],
    ['ldap://0x0a.1', 'ldap://10.0.0.1'],
    ['ldaps://[2001:DB8::1]:636', 'ldaps://[2001:db8::1]:636'],
    ['ldaps://dc.example.com:443', 'ldaps://dc.example.com:443'],
    ['ldap://dc.example.com:80', 'ldap://dc.example.com:80'],
  ])('%s is normalised to %s', (text, kept) => {
    expect(parseDirectoryUrl(text)?.text).toBe(kept);
  });

  it.each([
    'dc.example.com',
    'https://dc.example.com',
    'ldap://',
    'ldap:///dc=example',
    'ldap://dc.example.com/dc=example,dc=com',
    'ldap://dc.example.com?uid',
    'ldap://dc.example.com#x',
    'ldap://user@dc.example.com',
    'ldap://dc.example.com:0',
    'ldap://dc.example.com:65536',
    'ldap://dc example.com',
    'ldap://a\\b',
    'ldap://256.256.256.256',
  ])('%s is rejected', (text) => {
    expect(parseDirectoryUrl(text)).toBeUndefined();
  });

  const faultOf = (text: string, startTls: boolean, ...networks: string[]) => {
    const peer = parseDirectoryUrl(text);
    if (!peer) throw new Error(`${text} is no address`);
    return directoryFault(peer, peer.encrypted || startTls, policy(...networks));
  };

  it('may be public with encryption, and private where that is allowed', () => {
    for (const text of ['ldaps://dc.example.com', 'ldaps://203.0.114.7'])
      expect(faultOf(text, false)).toBeUndefined();
    expect(faultOf('ldap://dc.example.com', true)).toBeUndefined();
    expect(faultOf('ldaps://10.1.2.3', false)).toContain('ALLOWED_PRIVATE_NETWORKS');
    expect(faultOf('ldaps://10.1.2.3', false, '10.0.0.0/8')).toBeUndefined();
    expect(faultOf('ldaps://localhost', false)).toContain('ALLOWED_PRIVATE_NETWORKS');
  });

  it('may be in plain text inside the allowed networks only', () => {
    expect(faultOf('ldap://10.1.2.3', false, '10.0.0.0/8')).toBeUndefined();
    expect(faultOf('ldap://localhost', false, '127.0.0.0/8')).toBeUndefined();
    expect(faultOf('ldap://dc.example.com', false, '10.0.0.0/8')).toBeUndefined();
    for (const [text, ...networks] of [
      ['ldap://203.0.114.7', '10.0.0.0/8'],
      ['ldap://10.1.2.3', '10.2.0.0/16'],
      ['ldap://10.1.2.3'],
      ['ldap://dc.example.com'],
      ['ldap://localhost', '10.0.0.0/8'],
    ] as const)
      expect([text, faultOf(text, false, ...networks)]).toEqual([
        text,
        expect.stringContaining('ALLOWED_PRIVATE_NETWORKS'),
      ]);
  });

  it('of a KDC is a host with a port', () => {
    expect(parseKdc('KDC.example.com:88')?.text).toBe('kdc.example.com:88');
    expect(parseKdc('[::1]:88')?.text).toBe('[::1]:88');
    for (const text of ['kdc.example.com', ':88', 'kdc:0', 'kdc:99999', 'a/b:88', 'tcp://kdc:88'])
      expect(parseKdc(text)).toBeUndefined();
  });
});
